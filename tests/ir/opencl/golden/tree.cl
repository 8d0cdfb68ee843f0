#pragma OPENCL FP_CONTRACT OFF

__kernel void tree_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    __local float shared0[32];
    __local float shared1[16];
    __local float shared4[2];
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
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        int item3 = (int)get_local_id(0);
        float acc2 = 0.0f;
        for (int i1 = 0; i1 < (((n / 32)) % 8); ++i1) {
            acc2 = (acc2 + fabs(xs[group1 * (n % 256) + 32 * i1 + item3 + 256 * (n / 256)]));
        }
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
            shared4[item5] = from1[item5];
        }
        int item6 = (int)get_local_id(0);
        if (item6 < 1) {
            float acc4 = 0.0f;
            for (int i2 = 0; i2 < (n % 32); ++i2) {
                acc4 = (acc4 + fabs(xs[group1 * (n % 256) + item6 * (n % 32) + i2 + 32 * (n / 32)]));
            }
            shared4[item6 + 1] = acc4;
        }
        int item7 = (int)get_local_id(0);
        if (item7 < 1) {
            float acc5 = 0.0f;
            acc5 = (acc5 + shared4[2 * item7]);
            acc5 = (acc5 + shared4[2 * item7 + 1]);
            stage0[group1 + item7 + 8] = acc5;
        }
    }
}

__kernel void tree_1(
    __global const float* restrict stage0,
    __global float* restrict result)
{
    __local float shared0[8];
    __local float shared1[4];
    __local float shared2[2];
    int item0 = (int)get_local_id(0);
    float acc0 = 0.0f;
    acc0 = (acc0 + stage0[item0]);
    shared0[item0] = acc0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local float* from0 = shared0;
    __local float* into0 = shared1;
    int length0 = 4;
    for (int turn0 = 0; turn0 < 3; ++turn0) {
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
        shared2[item2] = from0[item2];
    }
    int item3 = (int)get_local_id(0);
    if (item3 < 1) {
        float acc2 = 0.0f;
        acc2 = (acc2 + stage0[item3 + 8]);
        shared2[item3 + 1] = acc2;
    }
    int item4 = (int)get_local_id(0);
    if (item4 < 1) {
        float acc3 = 0.0f;
        acc3 = (acc3 + shared2[2 * item4]);
        acc3 = (acc3 + shared2[2 * item4 + 1]);
        result[item4] = acc3;
    }
}
