#pragma OPENCL FP_CONTRACT OFF

__kernel void warps_and_local_memory(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[64] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int warp0 = (int)(get_local_id(0) / 32);
    int lane0 = (int)(get_local_id(0) % 32);
    shared0[lane0 + 32 * warp0] = fabs(rows[64 * group0 + lane0 + 32 * warp0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    int warp1 = (int)(get_local_id(0) / 32);
    int lane1 = (int)(get_local_id(0) % 32);
    result[64 * group0 + lane1 + 32 * warp1] = shared0[32 * warp1 + 31 - lane1];
}
