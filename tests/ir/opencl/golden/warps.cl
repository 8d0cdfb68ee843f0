#pragma OPENCL FP_CONTRACT OFF

__kernel void warps(
    __global const float* restrict rows,
    __global float* restrict result)
{
    int group0 = (int)get_group_id(0);
    int warp0 = (int)(get_local_id(0) / 32);
    int lane0 = (int)(get_local_id(0) % 32);
    result[64 * group0 + lane0 + 32 * warp0] = (rows[64 * group0 + lane0 + 32 * warp0] + 1.0f);
}
