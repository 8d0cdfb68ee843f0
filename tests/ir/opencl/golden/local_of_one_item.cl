#pragma OPENCL FP_CONTRACT OFF

__kernel void local_of_one_item(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[64] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < 64; ++i0) {
        shared0[i0] = fabs(rows[64 * group0 + i0]);
    }
    for (int i1 = 0; i1 < 64; ++i1) {
        result[64 * group0 + i1] = (shared0[63 - i1] + 1.0f);
    }
}
