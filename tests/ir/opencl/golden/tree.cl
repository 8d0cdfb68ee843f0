#pragma OPENCL FP_CONTRACT OFF

__kernel void tree_0(
    __global const float* restrict xs,
    __global float* restrict stage0_0,
    __global float* restrict stage0_1,
    int n)
{
    __local float shared0[32] __attribute__((aligned(16)));
    __local float shared1[32] __attribute__((aligned(16)));
    __local float shared2[16] __attribute__((aligned(16)));
    __local float shared3[16] __attribute__((aligned(16)));
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
}

__kernel void tree_1(
    __global const float* restrict stage0_0,
    __global const float* restrict stage0_1,
    __global float* restrict result)
{
    __local float shared0[8] __attribute__((aligned(16)));
    __local float shared1[8] __attribute__((aligned(16)));
    __local float shared2[4] __attribute__((aligned(16)));
    __local float shared3[4] __attribute__((aligned(16)));
    int item0 = (int)get_local_id(0);
    float acc0 = 0.0f;
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < 2; ++i0) {
        const float e0 = stage0_0[8 * i0 + item0];
        const float t0 = (acc0 + e0);
        const float t1 = (t0 - acc0);
        const float next0 = t0;
        const float next1 = ((acc1 + stage0_1[8 * i0 + item0]) + ((acc0 - (t0 - t1)) + (e0 - t1)));
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
    int length0 = 4;
    for (int turn0 = 0; turn0 < 3; ++turn0) {
        int item1 = (int)get_local_id(0);
        if (item1 < length0) {
            const float e1 = from0[2 * item1];
            const float e2 = from0[2 * item1 + 1];
            const float t2 = (e1 + e2);
            into0[item1] = t2;
            const float t3 = (t2 - e1);
            into1[item1] = ((from1[2 * item1] + from1[2 * item1 + 1]) + ((e1 - (t2 - t3)) + (e2 - t3)));
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
        const float e3 = from1[item2];
        const float e4 = from0[item2];
        result[item2] = ((fabs(e3) > (-0.0f)) ? (e4 + e3) : e4);
    }
}
