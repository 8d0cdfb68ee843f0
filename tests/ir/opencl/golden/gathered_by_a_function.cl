#pragma OPENCL FP_CONTRACT OFF
int floor_divide_int(int a, int b) {
    if (b == 0) return 0;
    if (b == -1) return (int)(0 - (uint)a);
    int q = a / b;
    return (int)(q - ((a % b != 0) && ((a < 0) != (b < 0))));
}
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }

__kernel void gathered_by_a_function(
    __global const int* restrict is,
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    int item0 = (int)get_global_id(0);
    const int at0 = limited_int(floor_divide_int(is[item0], 2), n - 1);
    result[item0] = (xs[at0] + 1.0f);
}
