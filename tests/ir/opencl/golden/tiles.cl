#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef double4 __attribute__((aligned(sizeof(double)))) unaligned_double4;

__kernel void tiles(
    __global const double* restrict xs,
    __global const double* restrict ys,
    __global double* restrict result,
    int m,
    int n)
{
    int group0 = (int)get_group_id(1);
    if (group0 < (m / 16)) {
        int group1 = (int)get_group_id(0);
        for (int i0 = 0; i0 < (n / 32); ++i0) {
            for (int i1 = 0; i1 < 16; ++i1) {
                for (int i2 = 0; i2 < 2; ++i2) {
                    const double4 t0 = ((double4)(xs[8 * group1 * m * (n / 32) + 8 * i0 * m + 4 * i2 * m + 16 * group0 + i1], xs[8 * group1 * m * (n / 32) + 8 * i0 * m + 4 * i2 * m + 16 * group0 + i1 + m], xs[8 * group1 * m * (n / 32) + 8 * i0 * m + 4 * i2 * m + 16 * group0 + i1 + 2 * m], xs[8 * group1 * m * (n / 32) + 8 * i0 * m + 4 * i2 * m + 16 * group0 + i1 + 3 * m]) * (double4)(2.0));
                    const double4 t1 = (t0 - *(__global const unaligned_double4*)(ys + (16 * group0 * n + 8 * group1 * (n / 32) + i1 * n + 8 * i0 + 4 * i2)));
                    *(__global unaligned_double4*)(result + (16 * group0 * n + 8 * group1 * (n / 32) + i1 * n + 8 * i0 + 4 * i2)) = t1;
                }
            }
        }
        int group2 = (int)get_group_id(0);
        if (group2 < 1) {
            for (int i3 = 0; i3 < 16; ++i3) {
                for (int i4 = 0; i4 < (n % 32); ++i4) {
                    const double t2 = ((xs[group2 * m * (n % 32) + i4 * m + 32 * m * (n / 32) + 16 * group0 + i3] * 2.0) - ys[16 * group0 * n + group2 * (n % 32) + i3 * n + i4 + 32 * (n / 32)]);
                    result[16 * group0 * n + group2 * (n % 32) + i3 * n + i4 + 32 * (n / 32)] = t2;
                }
            }
        }
    }
    int group3 = (int)get_group_id(1);
    if (group3 < 1) {
        int group4 = (int)get_group_id(0);
        for (int i5 = 0; i5 < (n / 32); ++i5) {
            for (int i6 = 0; i6 < (m % 16); ++i6) {
                for (int i7 = 0; i7 < 2; ++i7) {
                    const double4 t3 = ((double4)(xs[8 * group4 * m * (n / 32) + group3 * (m % 16) + 8 * i5 * m + 4 * i7 * m + i6 + 16 * (m / 16)], xs[8 * group4 * m * (n / 32) + group3 * (m % 16) + 8 * i5 * m + 4 * i7 * m + i6 + m + 16 * (m / 16)], xs[8 * group4 * m * (n / 32) + group3 * (m % 16) + 8 * i5 * m + 4 * i7 * m + i6 + 2 * m + 16 * (m / 16)], xs[8 * group4 * m * (n / 32) + group3 * (m % 16) + 8 * i5 * m + 4 * i7 * m + i6 + 3 * m + 16 * (m / 16)]) * (double4)(2.0));
                    const double4 t4 = (t3 - *(__global const unaligned_double4*)(ys + (group3 * n * (m % 16) + 8 * group4 * (n / 32) + i6 * n + 16 * n * (m / 16) + 8 * i5 + 4 * i7)));
                    *(__global unaligned_double4*)(result + (group3 * n * (m % 16) + 8 * group4 * (n / 32) + i6 * n + 16 * n * (m / 16) + 8 * i5 + 4 * i7)) = t4;
                }
            }
        }
        int group5 = (int)get_group_id(0);
        if (group5 < 1) {
            for (int i8 = 0; i8 < (m % 16); ++i8) {
                for (int i9 = 0; i9 < (n % 32); ++i9) {
                    const double t5 = (xs[group5 * m * (n % 32) + group3 * (m % 16) + i9 * m + 32 * m * (n / 32) + i8 + 16 * (m / 16)] * 2.0);
                    const double t6 = (t5 - ys[group3 * n * (m % 16) + group5 * (n % 32) + i8 * n + 16 * n * (m / 16) + i9 + 32 * (n / 32)]);
                    result[group3 * n * (m % 16) + group5 * (n % 32) + i8 * n + 16 * n * (m / 16) + i9 + 32 * (n / 32)] = t6;
                }
            }
        }
    }
}
