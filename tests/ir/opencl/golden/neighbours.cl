#pragma OPENCL FP_CONTRACT OFF
int limited_int(int i, int last) { return i < 0 ? 0 : i > last ? last : i; }

__kernel void neighbours(
    __global const float* restrict xs,
    __global const int* restrict iss,
    __global float* restrict result,
    int m,
    int n)
{
    int item0 = (int)get_global_id(0);
    if (item0 < n) {
        float acc0 = 0.0f;
        for (int i0 = 0; i0 < m; ++i0) {
            const int at0 = limited_int(iss[item0 * m + i0], n - 1);
            const float e0 = xs[at0];
            acc0 = (acc0 + ((xs[item0] - e0) * e0));
        }
        result[item0] = acc0;
    }
}
