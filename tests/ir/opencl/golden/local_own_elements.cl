#pragma OPENCL FP_CONTRACT OFF

__kernel void local_own_elements(
    __global const float* restrict rows,
    __global float* restrict result)
{
    __local float shared0[64] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    for (int i0 = 0; i0 < 4; ++i0) {
        shared0[i0 + 4 * item0] = fabs(rows[64 * group0 + i0 + 4 * item0]);
    }
    int item1 = (int)get_local_id(0);
    for (int i1 = 0; i1 < 4; ++i1) {
        result[64 * group0 + i1 + 4 * item1] = (shared0[i1 + 4 * item1] + 1.0f);
    }
}
