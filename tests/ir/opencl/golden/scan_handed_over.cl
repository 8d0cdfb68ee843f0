#pragma OPENCL FP_CONTRACT OFF
#if defined(__NV_CL_C_VERSION) || defined(__NVPTX__)
#define DEVICE_FENCE() asm volatile("membar.gl;" : : : "memory")
#elif defined(__x86_64__) || defined(__aarch64__)
#define DEVICE_FENCE() __atomic_thread_fence(__ATOMIC_ACQ_REL)
#else
#define DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
int floor_div(int a, int b) {
    int q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void scan_handed_over_0(
    __global const float* restrict xs,
    __global float* stage0,
    volatile __global uint* arrived,
    __global float* restrict stage1,
    int n)
{
    __local float shared0[32] __attribute__((aligned(16)));
    __local float shared1[96] __attribute__((aligned(16)));
    __local float shared2[16] __attribute__((aligned(16)));
    __local float shared3[32] __attribute__((aligned(16)));
    __local uint place0[1];
    for (int group0 = (int)get_group_id(0); group0 < (n / 96); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        float acc0 = (-0.0f);
        float acc1 = (-0.0f);
        const float t0 = ((fabs(xs[96 * group0 + item0]) + fabs(xs[96 * group0 + item0 + 32])) + fabs(xs[96 * group0 + item0 + 64]));
        const float t1 = (acc0 + t0);
        const float t2 = (t1 - acc0);
        const float next0 = t1;
        const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t1 - t2)) + (t0 - t2)));
        acc0 = next0;
        acc1 = next1;
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
            const float e2 = from1[item2];
            const float e3 = from0[item2];
            stage0[group0 + item2] = ((fabs(e2) > (-0.0f)) ? (e3 + e2) : e3);
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        DEVICE_FENCE();
        place0[0] = atomic_inc(arrived);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint turn1 = 0; turn1 < (place0[0] == get_num_groups(0) - 1); ++turn1) {
        DEVICE_FENCE();
        if (get_local_id(0) == 0) {
            arrived[0] = 0;
        }
        float acc2 = 0.0f;
        float acc3 = (-0.0f);
        for (int i0 = 0; i0 < 1 - floor_div(95 - (n / 96), 96); ++i0) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i1 = 0; i1 < 3; ++i1) {
                int item3 = (int)get_local_id(0);
                shared1[32 * i1 + item3] = (96 * i0 + 32 * i1 + item3 < (n / 96) + 1 ? (96 * i0 + 32 * i1 + item3 < 1 ? (-0.0f) : stage0[96 * i0 + 32 * i1 + item3 - 1]) : 0.0f);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            float kept0[3];
            int item4 = (int)get_local_id(0);
            kept0[0] = shared1[3 * item4];
            kept0[1] = shared1[3 * item4 + 1];
            kept0[2] = shared1[3 * item4 + 2];
            int item5 = (int)get_local_id(0);
            if (item5 < 31) {
                float acc4 = (-0.0f);
                float acc5 = (-0.0f);
                for (int i2 = 0; i2 < 3; ++i2) {
                    const float e4 = kept0[i2];
                    const float t5 = (acc4 + e4);
                    const float t6 = (t5 - acc4);
                    const float next2 = t5;
                    const float next3 = ((acc5 + (-0.0f)) + ((acc4 - (t5 - t6)) + (e4 - t6)));
                    acc4 = next2;
                    acc5 = next3;
                }
                shared0[item5] = ((fabs(acc5) > (-0.0f)) ? (acc4 + acc5) : acc4);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            int item6 = (int)get_local_id(0);
            const float t7 = ((item6 < 1 ? (-0.0f) : (item6 - 1 < 1 ? (-0.0f) : shared0[item6 - 2])) + (item6 < 1 ? (-0.0f) : shared0[item6 - 1]));
            shared1[item6] = t7;
            barrier(CLK_LOCAL_MEM_FENCE);
            int item7 = (int)get_local_id(0);
            shared0[item7] = ((item7 < 2 ? (-0.0f) : shared1[item7 - 2]) + shared1[item7]);
            barrier(CLK_LOCAL_MEM_FENCE);
            int item8 = (int)get_local_id(0);
            shared1[item8] = ((item8 < 4 ? (-0.0f) : shared0[item8 - 4]) + shared0[item8]);
            barrier(CLK_LOCAL_MEM_FENCE);
            int item9 = (int)get_local_id(0);
            shared0[item9] = ((item9 < 8 ? (-0.0f) : shared1[item9 - 8]) + shared1[item9]);
            barrier(CLK_LOCAL_MEM_FENCE);
            int item10 = (int)get_local_id(0);
            shared3[item10] = ((item10 < 16 ? (-0.0f) : shared0[item10 - 16]) + shared0[item10]);
            int item11 = (int)get_local_id(0);
            float acc6 = (-0.0f);
            float acc7 = (-0.0f);
            const float e5 = kept0[0];
            const float t8 = (acc6 + e5);
            const float t9 = (t8 - acc6);
            const float t10 = ((acc7 + (-0.0f)) + ((acc6 - (t8 - t9)) + (e5 - t9)));
            shared1[3 * item11] = (shared3[item11] + ((fabs(t10) > (-0.0f)) ? (t8 + t10) : t8));
            acc6 = t8;
            acc7 = t10;
            const float e6 = kept0[1];
            const float t11 = (acc6 + e6);
            const float t12 = (t11 - acc6);
            const float t13 = ((acc7 + (-0.0f)) + ((acc6 - (t11 - t12)) + (e6 - t12)));
            shared1[3 * item11 + 1] = (shared3[item11] + ((fabs(t13) > (-0.0f)) ? (t11 + t13) : t11));
            acc6 = t11;
            acc7 = t13;
            const float e7 = kept0[2];
            const float t14 = (acc6 + e7);
            const float t15 = (t14 - acc6);
            const float t16 = ((acc7 + (-0.0f)) + ((acc6 - (t14 - t15)) + (e7 - t15)));
            shared1[3 * item11 + 2] = (shared3[item11] + ((fabs(t16) > (-0.0f)) ? (t14 + t16) : t14));
            acc6 = t14;
            acc7 = t16;
            barrier(CLK_LOCAL_MEM_FENCE);
            float acc8 = acc2;
            float acc9 = acc3;
            const float e8 = shared1[95];
            const float t17 = (acc8 + e8);
            const float t18 = (t17 - acc8);
            const float next4 = t17;
            const float next5 = ((acc9 + (-0.0f)) + ((acc8 - (t17 - t18)) + (e8 - t18)));
            acc8 = next4;
            acc9 = next5;
            for (int i3 = 0; i3 < 3; ++i3) {
                int item12 = (int)get_local_id(0);
                if (96 * i0 + 32 * i3 + item12 < (n / 96) + 1) {
                    stage1[96 * i0 + 32 * i3 + item12] = (((fabs(acc3) > (-0.0f)) ? (acc2 + acc3) : acc2) + shared1[32 * i3 + item12]);
                }
            }
            acc2 = acc8;
            acc3 = acc9;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void scan_handed_over_1(
    __global const float* restrict xs,
    __global const float* restrict stage1,
    __global float* restrict result,
    int n)
{
    float kept0[3];
    __local float shared0[96] __attribute__((aligned(16)));
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared6[32] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 96); group0 += (int)get_num_groups(0)) {
        for (int i0 = 0; i0 < 3; ++i0) {
            int item0 = (int)get_local_id(0);
            shared0[32 * i0 + item0] = fabs(xs[32 * i0 + item0 + 96 * (n / 96) - 96 * group0 - 96]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item1];
        kept0[1] = shared0[3 * item1 + 1];
        kept0[2] = shared0[3 * item1 + 2];
        int item2 = (int)get_local_id(0);
        if (item2 < 31) {
            float acc0 = (-0.0f);
            for (int i1 = 0; i1 < 3; ++i1) {
                acc0 = (acc0 + kept0[i1]);
            }
            shared1[item2] = acc0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item3 = (int)get_local_id(0);
        const float t0 = ((item3 < 1 ? (-0.0f) : (item3 - 1 < 1 ? (-0.0f) : shared1[item3 - 2])) + (item3 < 1 ? (-0.0f) : shared1[item3 - 1]));
        shared0[item3] = t0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item4 = (int)get_local_id(0);
        shared1[item4] = ((item4 < 2 ? (-0.0f) : shared0[item4 - 2]) + shared0[item4]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item5 = (int)get_local_id(0);
        shared0[item5] = ((item5 < 4 ? (-0.0f) : shared1[item5 - 4]) + shared1[item5]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item6 = (int)get_local_id(0);
        shared1[item6] = ((item6 < 8 ? (-0.0f) : shared0[item6 - 8]) + shared0[item6]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item7 = (int)get_local_id(0);
        shared6[item7] = ((item7 < 16 ? (-0.0f) : shared1[item7 - 16]) + shared1[item7]);
        int item8 = (int)get_local_id(0);
        float acc1 = (-0.0f);
        const float t1 = (acc1 + kept0[0]);
        shared0[3 * item8] = (shared6[item8] + t1);
        acc1 = t1;
        const float t2 = (acc1 + kept0[1]);
        shared0[3 * item8 + 1] = (shared6[item8] + t2);
        acc1 = t2;
        const float t3 = (acc1 + kept0[2]);
        shared0[3 * item8 + 2] = (shared6[item8] + t3);
        acc1 = t3;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i2 = 0; i2 < 3; ++i2) {
            int item9 = (int)get_local_id(0);
            result[32 * i2 + item9 + 96 * (n / 96) - 96 * group0 - 96] = (stage1[(n / 96) - group0 - 1] + shared0[32 * i2 + item9]);
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        for (int i3 = 0; i3 < 3; ++i3) {
            int item10 = (int)get_local_id(0);
            const float t4 = fabs((32 * i3 + item10 < (n % 96) ? xs[group1 * (n % 96) + 32 * i3 + item10 + 96 * (n / 96)] : 0.0f));
            shared0[32 * i3 + item10] = t4;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item11 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item11];
        kept0[1] = shared0[3 * item11 + 1];
        kept0[2] = shared0[3 * item11 + 2];
        int item12 = (int)get_local_id(0);
        if (item12 < 31) {
            float acc2 = (-0.0f);
            for (int i4 = 0; i4 < 3; ++i4) {
                acc2 = (acc2 + kept0[i4]);
            }
            shared1[item12] = acc2;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int item13 = (int)get_local_id(0);
        const float t5 = ((item13 < 1 ? (-0.0f) : (item13 - 1 < 1 ? (-0.0f) : shared1[item13 - 2])) + (item13 < 1 ? (-0.0f) : shared1[item13 - 1]));
        shared0[item13] = t5;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item14 = (int)get_local_id(0);
        shared1[item14] = ((item14 < 2 ? (-0.0f) : shared0[item14 - 2]) + shared0[item14]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item15 = (int)get_local_id(0);
        shared0[item15] = ((item15 < 4 ? (-0.0f) : shared1[item15 - 4]) + shared1[item15]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item16 = (int)get_local_id(0);
        shared1[item16] = ((item16 < 8 ? (-0.0f) : shared0[item16 - 8]) + shared0[item16]);
        barrier(CLK_LOCAL_MEM_FENCE);
        int item17 = (int)get_local_id(0);
        shared6[item17] = ((item17 < 16 ? (-0.0f) : shared1[item17 - 16]) + shared1[item17]);
        int item18 = (int)get_local_id(0);
        float acc3 = (-0.0f);
        const float t6 = (acc3 + kept0[0]);
        shared0[3 * item18] = (shared6[item18] + t6);
        acc3 = t6;
        const float t7 = (acc3 + kept0[1]);
        shared0[3 * item18 + 1] = (shared6[item18] + t7);
        acc3 = t7;
        const float t8 = (acc3 + kept0[2]);
        shared0[3 * item18 + 2] = (shared6[item18] + t8);
        acc3 = t8;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i5 = 0; i5 < 3; ++i5) {
            int item19 = (int)get_local_id(0);
            if (32 * i5 + item19 < (n % 96)) {
                result[group1 * (n % 96) + 32 * i5 + item19 + 96 * (n / 96)] = (stage1[group1 + (n / 96)] + shared0[32 * i5 + item19]);
            }
        }
    }
}
