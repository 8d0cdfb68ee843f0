#pragma OPENCL FP_CONTRACT OFF

__kernel void scan_of_rows(
    __global const float* restrict rows,
    __global float* restrict result,
    int n)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < n; ++i0) {
        for (int i1 = 0; i1 < 64; ++i1) {
            result[64 * i0 + i1] = (rows[64 * i0 + i1] + acc0);
        }
        acc0 = (acc0 + rows[64 * i0]);
    }
}
