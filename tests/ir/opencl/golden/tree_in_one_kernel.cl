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
    __global float* stage0_0,
    __global float* stage0_1,
    volatile __global uint* arrived,
    __global float* restrict result,
    int n)
{
    __local float shared0[32] __attribute__((aligned(16)));
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared2[16] __attribute__((aligned(16)));
    __local float shared3[16] __attribute__((aligned(16)));
    __local uint place0[1];
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    float acc0 = 0.0f;
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < (n / 256); ++i0) {
        const float t0 = fabs(xs[32 * group0 * (n / 256) + 32 * i0 + item0]);
        const float t1 = (acc0 + t0);
        const float t2 = (t1 - acc0);
        const float next0 = t1;
        const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t1 - t2)) + (t0 - t2)));
        acc0 = next0;
        acc1 = next1;
    }
    shared0[item0] = acc0;
    shared1[item0] = acc1;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local float* from0 = shared0;
    __local float* into0 = shared2;
    __local float* from1 = shared1;
    __local float* into1 = shared3;
    int length0 = 16;
    for (int turn0 = 0; turn0 < 5; ++turn0) {
        int item1 = (int)get_local_id(0);
        if (item1 < length0) {
            const float e0 = from0[2 * item1];
            const float e1 = from0[2 * item1 + 1];
            const float t3 = (e0 + e1);
            into0[item1] = t3;
            const float t4 = (t3 - e0);
            into1[item1] = ((from1[2 * item1] + from1[2 * item1 + 1]) + ((e0 - (t3 - t4)) + (e1 - t4)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* swap0 = from0;
        from0 = into0;
        into0 = swap0;
        __local float* swap1 = from1;
        from1 = into1;
        into1 = swap1;
        length0 = length0 / 2;
    }
    int item2 = (int)get_local_id(0);
    if (item2 < 1) {
        stage0_0[group0 + item2] = from0[item2];
        stage0_1[group0 + item2] = from1[item2];
    }
    for (int group1 = (int)get_group_id(0); group1 < (((n / 32)) % 8); group1 += (int)get_num_groups(0)) {
        int item3 = (int)get_local_id(0);
        float acc2 = 0.0f;
        float acc3 = (-0.0f);
        const float t5 = fabs(xs[32 * group1 + item3 + 256 * (n / 256)]);
        const float t6 = (acc2 + t5);
        const float t7 = (t6 - acc2);
        const float next2 = t6;
        const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t6 - t7)) + (t5 - t7)));
        acc2 = next2;
        acc3 = next3;
        shared0[item3] = acc2;
        shared1[item3] = acc3;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from2 = shared0;
        __local float* into2 = shared2;
        __local float* from3 = shared1;
        __local float* into3 = shared3;
        int length1 = 16;
        for (int turn1 = 0; turn1 < 5; ++turn1) {
            int item4 = (int)get_local_id(0);
            if (item4 < length1) {
                const float e2 = from2[2 * item4];
                const float e3 = from2[2 * item4 + 1];
                const float t8 = (e2 + e3);
                into2[item4] = t8;
                const float t9 = (t8 - e2);
                into3[item4] = ((from3[2 * item4] + from3[2 * item4 + 1]) + ((e2 - (t8 - t9)) + (e3 - t9)));
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap2 = from2;
            from2 = into2;
            into2 = swap2;
            __local float* swap3 = from3;
            from3 = into3;
            into3 = swap3;
            length1 = length1 / 2;
        }
        int item5 = (int)get_local_id(0);
        if (item5 < 1) {
            stage0_0[group1 + item5 + 8] = from2[item5];
            stage0_1[group1 + item5 + 8] = from3[item5];
        }
    }
    int group2 = (int)get_group_id(0);
    if (group2 < 1) {
        int item6 = (int)get_local_id(0);
        if (item6 < 1) {
            float acc4 = 0.0f;
            float acc5 = (-0.0f);
            for (int i1 = 0; i1 < (n % 32); ++i1) {
                const float t10 = fabs(xs[group2 * (n % 32) + item6 * (n % 32) + i1 + 32 * (n / 32)]);
                const float t11 = (acc4 + t10);
                const float t12 = (t11 - acc4);
                const float next4 = t11;
                const float next5 = ((acc5 + (-0.0f)) + ((acc4 - (t11 - t12)) + (t10 - t12)));
                acc4 = next4;
                acc5 = next5;
            }
            stage0_0[group2 + item6 + (((n / 32)) % 8) + 8] = acc4;
            stage0_1[group2 + item6 + (((n / 32)) % 8) + 8] = acc5;
        }
    }
    int group3 = (int)get_group_id(0);
    if (group3 < 7 - (((n / 32)) % 8)) {
        int item7 = (int)get_local_id(0);
        if (item7 < 1) {
            stage0_0[group3 + item7 + (((n / 32)) % 8) + 9] = 0.0f;
            stage0_1[group3 + item7 + (((n / 32)) % 8) + 9] = (-0.0f);
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        DEVICE_FENCE();
        place0[0] = atomic_inc(arrived);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint turn2 = 0; turn2 < (place0[0] == get_num_groups(0) - 1); ++turn2) {
        DEVICE_FENCE();
        if (get_local_id(0) == 0) {
            arrived[0] = 0;
        }
        int item8 = (int)get_local_id(0);
        if (item8 < 8) {
            float acc6 = 0.0f;
            float acc7 = (-0.0f);
            for (int i2 = 0; i2 < 2; ++i2) {
                const float e4 = stage0_0[8 * i2 + item8];
                const float t13 = (acc6 + e4);
                const float t14 = (t13 - acc6);
                const float next6 = t13;
                const float next7 = ((acc7 + stage0_1[8 * i2 + item8]) + ((acc6 - (t13 - t14)) + (e4 - t14)));
                acc6 = next6;
                acc7 = next7;
            }
            shared1[item8] = acc6;
            shared0[item8] = acc7;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from4 = shared1;
        __local float* into4 = shared3;
        __local float* from5 = shared0;
        __local float* into5 = shared2;
        int length2 = 4;
        for (int turn3 = 0; turn3 < 3; ++turn3) {
            int item9 = (int)get_local_id(0);
            if (item9 < length2) {
                const float e5 = from4[2 * item9];
                const float e6 = from4[2 * item9 + 1];
                const float t15 = (e5 + e6);
                into4[item9] = t15;
                const float t16 = (t15 - e5);
                into5[item9] = ((from5[2 * item9] + from5[2 * item9 + 1]) + ((e5 - (t15 - t16)) + (e6 - t16)));
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            __local float* swap4 = from4;
            from4 = into4;
            into4 = swap4;
            __local float* swap5 = from5;
            from5 = into5;
            into5 = swap5;
            length2 = length2 / 2;
        }
        int item10 = (int)get_local_id(0);
        if (item10 < 1) {
            const float e7 = from5[item10];
            const float e8 = from4[item10];
            result[item10] = ((fabs(e7) > (-0.0f)) ? (e8 + e7) : e8);
        }
    }
}
