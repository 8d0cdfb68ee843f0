#pragma OPENCL FP_CONTRACT OFF
int floor_div(int a, int b) {
    int q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

__kernel void scan_tree_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    __local float shared0[32] __attribute__((aligned(16)));
    __local float shared1[16] __attribute__((aligned(16)));
    for (int group0 = (int)get_group_id(0); group0 < (n / 96); group0 += (int)get_num_groups(0)) {
        int item0 = (int)get_local_id(0);
        float acc0 = (-0.0f);
        float acc1 = (-0.0f);
        float acc2 = (-0.0f);
        acc0 = (acc0 + fabs(xs[96 * group0 + item0]));
        acc1 = (acc1 + fabs(xs[96 * group0 + item0 + 32]));
        acc2 = (acc2 + fabs(xs[96 * group0 + item0 + 64]));
        shared0[item0] = (acc0 + (acc1 + acc2));
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float* from0 = shared0;
        __local float* into0 = shared1;
        int length0 = 16;
        for (int turn0 = 0; turn0 < 5; ++turn0) {
            int item1 = (int)get_local_id(0);
            if (item1 < length0) {
                float acc3 = (-0.0f);
                acc3 = (acc3 + from0[2 * item1]);
                acc3 = (acc3 + from0[2 * item1 + 1]);
                into0[item1] = acc3;
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
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void scan_tree_1(
    __global const float* restrict stage0,
    __global float* restrict stage1,
    int n)
{
    __local float shared0[96] __attribute__((aligned(16)));
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared6[32] __attribute__((aligned(16)));
    float acc0 = 0.0f;
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < 1 - floor_div(95 - (n / 96), 96); ++i0) {
        for (int i1 = 0; i1 < 3; ++i1) {
            int item0 = (int)get_local_id(0);
            shared0[32 * i1 + item0] = (96 * i0 + 32 * i1 + item0 < (n / 96) + 1 ? (96 * i0 + 32 * i1 + item0 < 1 ? (-0.0f) : stage0[96 * i0 + 32 * i1 + item0 - 1]) : 0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float kept0[3];
        int item1 = (int)get_local_id(0);
        kept0[0] = shared0[3 * item1];
        kept0[1] = shared0[3 * item1 + 1];
        kept0[2] = shared0[3 * item1 + 2];
        int item2 = (int)get_local_id(0);
        if (item2 < 31) {
            float acc2 = (-0.0f);
            for (int i2 = 0; i2 < 3; ++i2) {
                acc2 = (acc2 + kept0[i2]);
            }
            shared1[item2] = acc2;
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
        float acc3 = (-0.0f);
        const float t1 = (acc3 + kept0[0]);
        shared0[3 * item8] = (shared6[item8] + t1);
        acc3 = t1;
        const float t2 = (acc3 + kept0[1]);
        shared0[3 * item8 + 1] = (shared6[item8] + t2);
        acc3 = t2;
        const float t3 = (acc3 + kept0[2]);
        shared0[3 * item8 + 2] = (shared6[item8] + t3);
        acc3 = t3;
        barrier(CLK_LOCAL_MEM_FENCE);
        float acc4 = acc0;
        float acc5 = acc1;
        const float e0 = shared0[95];
        const float t4 = (acc4 + e0);
        const float t5 = (t4 - acc4);
        const float next0 = t4;
        const float next1 = ((acc5 + (-0.0f)) + ((acc4 - (t4 - t5)) + (e0 - t5)));
        acc4 = next0;
        acc5 = next1;
        barrier(CLK_LOCAL_MEM_FENCE);
        int item9 = (int)get_local_id(0);
        float acc6 = (-0.0f);
        const float t6 = (acc6 + kept0[0]);
        shared0[3 * item9] = (shared6[item9] + t6);
        acc6 = t6;
        const float t7 = (acc6 + kept0[1]);
        shared0[3 * item9 + 1] = (shared6[item9] + t7);
        acc6 = t7;
        const float t8 = (acc6 + kept0[2]);
        shared0[3 * item9 + 2] = (shared6[item9] + t8);
        acc6 = t8;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i3 = 0; i3 < 3; ++i3) {
            int item10 = (int)get_local_id(0);
            if (96 * i0 + 32 * i3 + item10 < (n / 96) + 1) {
                stage1[96 * i0 + 32 * i3 + item10] = (((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0) + shared0[32 * i3 + item10]);
            }
        }
        acc0 = acc4;
        acc1 = acc5;
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void scan_tree_2(
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
            shared0[32 * i0 + item0] = fabs(xs[96 * group0 + 32 * i0 + item0]);
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
            result[96 * group0 + 32 * i2 + item9] = (stage1[group0] + shared0[32 * i2 + item9]);
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
