#pragma OPENCL FP_CONTRACT OFF

__kernel void tree_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    __local float shared0[32];
    __local float shared1[16];
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
        float acc2 = 0.0f;
        for (int i1 = 0; i1 < (n % 256); ++i1) {
            acc2 = (acc2 + fabs(xs[group1 * (n % 256) + i1 + 256 * (n / 256)]));
        }
        int item3 = (int)get_local_id(0);
        if (item3 < 1) {
            stage0[group1 + item3 + 8] = acc2;
        }
    }
}

__kernel void tree_1(
    __global const float* restrict stage0,
    __global float* restrict result)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < 9; ++i0) {
        acc0 = (acc0 + stage0[i0]);
    }
    result[0] = acc0;
}
