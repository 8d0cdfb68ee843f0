#pragma OPENCL FP_CONTRACT OFF
#if defined(__NV_CL_C_VERSION) || defined(__NVPTX__)
#define DEVICE_FENCE() asm volatile("membar.gl;" : : : "memory")
#elif defined(__x86_64__) || defined(__aarch64__)
#define DEVICE_FENCE() __atomic_thread_fence(__ATOMIC_ACQ_REL)
#else
#define DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

__kernel void tree_in_one_kernel(
    __global const float* restrict xs,
    __global float* stage0,
    volatile __global uint* arrived,
    __global float* restrict result,
    int n)
{
    __local float shared0[32];
    __local float shared1[16];
    __local uint place0[1];
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < (n / 256); ++i0) {
        acc0 = (acc0 + fabs(xs[32 * group0 * (n / 256) + 32 * i0 + item0]));
    }
    shared0[item0] = acc0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local float* from0 = shared0;
    __local float* into0 = shared1;
    int length0 = 16;
    for (int turn0 = 0; turn0 < 5; ++turn0) {
        int item1 = (int)get_local_id(0);
        if (item1 < length0) {
            float acc1 = 0.0f;
            acc1 = (acc1 + from0[2 * item1]);
            acc1 = (acc1 + from0[2 * item1 + 1]);
            into0[item1] = acc1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* swap0 = from0;
        from0 = into0;
        into0 = swap0;
        length0 = length0 / 2;
    }
    int item2 = (int)get_local_id(0);
    if (item2 < 1) {
        stage0[group0 + item2] = from0[item2];
    }
    for (int group1 = (int)get_group_id(0); group1 < (((n / 32)) % 8); group1 += (int)get_num_groups(0)) {
        int item3 = (int)get_local_id(0);
        float acc2 = 0.0f;
        acc2 = (acc2 + fabs(xs[32 * group1 + item3 + 256 * (n / 256)]));
        shared0[item3] = acc2;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from1 = shared0;
        __local float* into1 = shared1;
        int length1 = 16;
        for (int turn1 = 0; turn1 < 5; ++turn1) {
            int item4 = (int)get_local_id(0);
            if (item4 < length1) {
                float acc3 = 0.0f;
                acc3 = (acc3 + from1[2 * item4]);
                acc3 = (acc3 + from1[2 * item4 + 1]);
                into1[item4] = acc3;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap1 = from1;
            from1 = into1;
            into1 = swap1;
            length1 = length1 / 2;
        }
        int item5 = (int)get_local_id(0);
        if (item5 < 1) {
            stage0[group1 + item5 + 8] = from1[item5];
        }
    }
    int group2 = (int)get_group_id(0);
    if (group2 < 1) {
        int item6 = (int)get_local_id(0);
        if (item6 < 1) {
            float acc4 = 0.0f;
            for (int i1 = 0; i1 < (n % 32); ++i1) {
                acc4 = (acc4 + fabs(xs[group2 * (n % 32) + item6 * (n % 32) + i1 + 32 * (n / 32)]));
            }
            stage0[group2 + item6 + (((n / 32)) % 8) + 8] = acc4;
        }
    }
    int group3 = (int)get_group_id(0);
    if (group3 < 7 - (((n / 32)) % 8)) {
        int item7 = (int)get_local_id(0);
        if (item7 < 1) {
            stage0[group3 + item7 + (((n / 32)) % 8) + 9] = 0.0f;
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        DEVICE_FENCE();
        place0[0] = atomic_inc(arrived);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (place0[0] == get_num_groups(0) - 1) {
        DEVICE_FENCE();
        if (get_local_id(0) == 0) {
            arrived[0] = 0;
        }
        int item8 = (int)get_local_id(0);
        if (item8 < 8) {
            float acc5 = 0.0f;
            for (int i2 = 0; i2 < 2; ++i2) {
                acc5 = (acc5 + stage0[8 * i2 + item8]);
            }
            shared0[item8] = acc5;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from2 = shared0;
        __local float* into2 = shared1;
        int length2 = 4;
        for (int turn2 = 0; turn2 < 3; ++turn2) {
            int item9 = (int)get_local_id(0);
            if (item9 < length2) {
                float acc6 = 0.0f;
                acc6 = (acc6 + from2[2 * item9]);
                acc6 = (acc6 + from2[2 * item9 + 1]);
                into2[item9] = acc6;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap2 = from2;
            from2 = into2;
            into2 = swap2;
            length2 = length2 / 2;
        }
        int item10 = (int)get_local_id(0);
        if (item10 < 1) {
            result[item10] = from2[item10];
        }
    }
}
