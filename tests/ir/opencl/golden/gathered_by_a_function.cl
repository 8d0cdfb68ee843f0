#pragma OPENCL FP_CONTRACT OFF
int floor_divide_int(int a, int b) {
    int d = (b == 0) | (b == -1) ? 1 : b, q = a / d;
    q = (int)(q - ((a % d != 0) & ((a ^ d) < 0)));
    return (b == -1) ? (int)(0 - (uint)a) : b == 0 ? 0 : q;
}
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }

__kernel void gathered_by_a_function(
    __global const int* restrict is,
    __global const float* restrict xs,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < m) {
        const int at0 = limited_int(floor_divide_int(is[item0], 2), n - 1);
        result[item0] = (xs[at0] + 1.0f);
    }
}
