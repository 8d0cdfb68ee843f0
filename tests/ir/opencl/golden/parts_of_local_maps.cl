#pragma OPENCL FP_CONTRACT OFF

__kernel void parts_of_local_maps(
    __global const float* restrict rows,
    __global float* restrict result_0,
    __global float* restrict result_1)
{
    int group0 = (int)get_group_id(0);
    int item0 = (int)get_local_id(0);
    result_1[64 * group0 + item0] = fabs(rows[64 * group0 + item0]);
    int item1 = (int)get_local_id(0);
    if (item1 < 8) {
        float acc0 = 0.0f;
        for (int i0 = 0; i0 < 8; ++i0) {
            acc0 = (acc0 + rows[64 * group0 + i0 + 8 * item1]);
        }
        result_0[8 * group0 + item1] = acc0;
    }
}
