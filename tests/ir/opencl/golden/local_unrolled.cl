#pragma OPENCL FP_CONTRACT OFF

__kernel void local_unrolled(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[16] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    shared0[item0] = fabs(rows[64 * group0 + item0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item1 = (int)get_local_id(0);
    result[64 * group0 + item1] = (shared0[15 - item1] + 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item2 = (int)get_local_id(0);
    shared0[item2] = fabs(rows[64 * group0 + item2 + 16]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item3 = (int)get_local_id(0);
    result[64 * group0 + item3 + 16] = (shared0[15 - item3] + 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item4 = (int)get_local_id(0);
    shared0[item4] = fabs(rows[64 * group0 + item4 + 32]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item5 = (int)get_local_id(0);
    result[64 * group0 + item5 + 32] = (shared0[15 - item5] + 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item6 = (int)get_local_id(0);
    shared0[item6] = fabs(rows[64 * group0 + item6 + 48]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int item7 = (int)get_local_id(0);
    result[64 * group0 + item7 + 48] = (shared0[15 - item7] + 1.0f);
}
