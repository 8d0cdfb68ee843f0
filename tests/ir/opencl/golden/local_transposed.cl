#pragma OPENCL FP_CONTRACT OFF

__kernel void local_transposed(
    __global const float* restrict tiles,
    __global float* restrict result)
{
    __local float shared0[64] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(1);
    int group1 = (int)get_group_id(0);
    int item0 = (int)get_local_id(1);
    int item1 = (int)get_local_id(0);
    shared0[8 * item0 + item1] = (tiles[128 * group0 + 64 * group1 + 8 * item0 + item1] * 2.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item2 = (int)get_local_id(1);
    int item3 = (int)get_local_id(0);
    result[128 * group0 + 64 * group1 + 8 * item2 + item3] = (shared0[item2 + 8 * item3] + 1.0f);
}
