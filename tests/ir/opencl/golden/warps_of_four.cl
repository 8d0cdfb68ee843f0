#pragma OPENCL FP_CONTRACT OFF

__kernel void warps_of_four(
    __global const float* restrict rows,
    __global float* restrict result)
{
    int group0 = (int)get_group_id(0);
    int warp0 = (int)(get_local_id(0) / 4);
    for (int lane0 = (int)(get_local_id(0) % 4); lane0 < 8; lane0 += (int)4) {
        result[40 * group0 + lane0 + 8 * warp0] = (rows[64 * group0 + lane0 + 8 * warp0] * 2.0f);
    }
}
