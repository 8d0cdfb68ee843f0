#pragma OPENCL FP_CONTRACT OFF
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }

__kernel void gathered(
    __global const int* restrict is,
    __global const float* restrict xs,
    __global const float* restrict ys,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < m) {
        const int at0 = limited_int(is[m - item0 - 1], n - 1);
        result[item0] = (xs[at0] * ys[at0]);
    }
}
