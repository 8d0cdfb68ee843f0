#pragma OPENCL FP_CONTRACT OFF

__kernel void local_memory(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[64] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    shared0[item0] = fabs(rows[64 * group0 + item0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item1 = (int)get_local_id(0);
    result[64 * group0 + item1] = shared0[63 - item1];
}
