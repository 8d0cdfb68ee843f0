#pragma OPENCL FP_CONTRACT OFF
int floor_divide_int(int a, int b) {
    int d = (b == 0) | (b == -1) ? 1 : b, q = a / d;
    q = (int)(q - ((a % d != 0) & ((a ^ d) < 0)));
    return (b == -1) ? (int)(0 - (uint)a) : b == 0 ? 0 : q;
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
