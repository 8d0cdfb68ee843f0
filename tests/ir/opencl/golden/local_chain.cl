#pragma OPENCL FP_CONTRACT OFF

__kernel void local_chain(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[64] __attribute__((aligned(16)));
    __local float shared1[64] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    shared0[item0] = fabs(rows[64 * group0 + item0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item1 = (int)get_local_id(0);
    shared1[item1] = (shared0[63 - item1] * 2.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item2 = (int)get_local_id(0);
    shared0[item2] = (shared1[63 - item2] + 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item3 = (int)get_local_id(0);
    result[64 * group0 + item3] = shared0[63 - item3];
}
