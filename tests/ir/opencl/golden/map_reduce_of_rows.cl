#pragma OPENCL FP_CONTRACT OFF

__kernel void map_reduce_of_rows(
    __global const float* restrict rows,
    __global float* restrict result_0,
    __global float* restrict result_1,
    int n)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < n; ++i0) {
        result_1[3 * i0] = (rows[64 * i0] + acc0);
        result_1[3 * i0 + 1] = (rows[64 * i0 + 1] + acc0);
        result_1[3 * i0 + 2] = (rows[64 * i0 + 2] + acc0);
        acc0 = (acc0 + rows[64 * i0]);
    }
    result_0[0] = acc0;
}
