#pragma OPENCL FP_CONTRACT OFF
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }

__kernel void gathered_or_not(
    __global const int* restrict is,
    __global const float* restrict xs,
    __global float* restrict result,
    int m,
    int n)
{
    for (int i0 = 0; i0 < m + n; ++i0) {
        const int at0 = (0 <= i0 - n ? limited_int(is[i0 - n], n - 1) : 0);
        const int at1 = (0 <= i0 + 8 - n && i0 + 8 - n < m ? limited_int(is[i0 + 8 - n], n - 1) : 0);
        result[i0] = ((i0 < n ? xs[i0] : xs[at0]) + 1.0f);
    }
}
