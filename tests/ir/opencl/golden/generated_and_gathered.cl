#pragma OPENCL FP_CONTRACT OFF
int floor_divide_int(int a, int b) {
    if (b == 0) return 0;
    if (b == -1) return (int)(0 - (uint)a);
    int q = a / b;
    return (int)(q - ((a % b != 0) && ((a < 0) != (b < 0))));
}

__kernel void generated_and_gathered(
    __global const float* restrict xs,
    __global float* restrict result,
    int m,
    int n)
{
    for (int i0 = 0; i0 < m + n; ++i0) {
        const int at0 = clamp(floor_divide_int((max((int)0, (int)(i0 - n))), 2), 0, n - 1);
        const int at1 = clamp(floor_divide_int((max((int)0, (int)(min((int)(i0 + 8 - n), (int)(m - 1))))), 2), 0, n - 1);
        const int at2 = clamp(floor_divide_int((max((int)0, (int)(i0 - n))), 2), 0, n - 1);
        result[i0] = ((i0 < n ? xs[i0] : xs[at2]) + 1.0f);
    }
}
