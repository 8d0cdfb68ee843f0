#pragma OPENCL FP_CONTRACT OFF

__kernel void local_twice(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[32] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    shared0[item0] = fabs(rows[64 * group0 + item0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item1 = (int)get_local_id(0);
    result[48 * group0 + item1] = shared0[31 - item1];
    barrier(CLK_LOCAL_MEM_FENCE);
    int item2 = (int)get_local_id(0);
    if (item2 < 16) {
        shared0[item2] = (rows[64 * group0 + item2 + 32] + 1.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int item3 = (int)get_local_id(0);
    if (item3 < 16) {
        result[48 * group0 + item3 + 32] = shared0[15 - item3];
    }
}
