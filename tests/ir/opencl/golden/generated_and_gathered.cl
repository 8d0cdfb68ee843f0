#pragma OPENCL FP_CONTRACT OFF
int floor_divide_int(int a, int b) {
    if (b == 0) return 0;
    if (b == -1) return (int)(0 - (uint)a);
    int q = a / b;
    return (int)(q - ((a % b != 0) && ((a < 0) != (b < 0))));
}
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }

__kernel void generated_and_gathered(
    __global const float* restrict xs,
    __global float* restrict result,
    int m,
    int n)
{
    for (int i0 = 0; i0 < m + n; ++i0) {
        const int at0 = limited_int(floor_divide_int((max((int)0, (int)(i0 - n))), 2), n - 1);
        const int at1 = limited_int(floor_divide_int((max((int)0, (int)(min((int)(i0 + 8 - n), (int)(m - 1))))), 2), n - 1);
        const int at2 = limited_int(floor_divide_int((max((int)0, (int)(i0 - n))), 2), n - 1);
        result[i0] = ((i0 < n ? xs[i0] : xs[at2]) + 1.0f);
    }
}
