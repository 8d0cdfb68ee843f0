#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef double8 __attribute__((aligned(sizeof(double)))) unaligned_double8;
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;
typedef int4 __attribute__((aligned(sizeof(int)))) unaligned_int4;

__kernel void scatter_in_chunks_0(
    __global const float* restrict xs,
    __global const double* restrict ys,
    __global double* restrict stage0,
    int m,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < (m / 8); ++i0) {
        *(__global unaligned_double8*)(stage0 + (group0 * m + 8 * i0)) = (double8)((-0.0), (-0.0), (-0.0), (-0.0), (-0.0), (-0.0), (-0.0), (-0.0));
    }
    for (int i1 = 0; i1 < (m % 8); ++i1) {
        stage0[group0 * m + i1 + 8 * (m / 8)] = (-0.0);
    }
    for (int i2 = 0; i2 < (n / 32); ++i2) {
        int kept0[16];
        for (int i3 = 0; i3 < 4; ++i3) {
            const float4 e0 = *(__global const unaligned_float4*)(xs + (group0 * (n / 2) + 16 * i2 + 4 * i3));
            const int4 t0 = ((e0 < (float4)(0.5f)) ? as_int4(as_uint4(convert_int4((fabs(e0) * (float4)(4.0f)))) - as_uint4((int4)(1))) : (int4)(0));
            *(unaligned_int4*)(kept0 + (4 * i3)) = t0;
        }
        for (int i4 = 0; i4 < 16; ++i4) {
            const int at0 = kept0[i4];
            if (0 <= at0 && at0 < m) {
                double old0 = stage0[group0 * m + at0];
                stage0[group0 * m + at0] = (old0 + ys[group0 * (n / 2) + 16 * i2 + i4]);
            }
        }
    }
    for (int i5 = 0; i5 < (((n / 2)) % 16); ++i5) {
        const float e1 = xs[group0 * (n / 2) + i5 + 16 * (n / 32)];
        const int at1 = ((e1 < 0.5f) ? (int)((uint)((int)(fabs(e1) * 4.0f)) - (uint)1) : 0);
        if (0 <= at1 && at1 < m) {
            double old1 = stage0[group0 * m + at1];
            stage0[group0 * m + at1] = (old1 + ys[group0 * (n / 2) + i5 + 16 * (n / 32)]);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i6 = 0; i6 < (m / 8); ++i6) {
            *(__global unaligned_double8*)(stage0 + (group1 * m + 8 * i6 + 2 * m)) = (double8)((-0.0), (-0.0), (-0.0), (-0.0), (-0.0), (-0.0), (-0.0), (-0.0));
        }
        for (int i7 = 0; i7 < (m % 8); ++i7) {
            stage0[group1 * m + i7 + 2 * m + 8 * (m / 8)] = (-0.0);
        }
        for (int i8 = 0; i8 < (n % 2); ++i8) {
            const float e2 = xs[i8 + 2 * (n / 2)];
            const int at2 = ((e2 < 0.5f) ? (int)((uint)((int)(fabs(e2) * 4.0f)) - (uint)1) : 0);
            if (0 <= at2 && at2 < m) {
                double old2 = stage0[group1 * m + at2 + 2 * m];
                stage0[group1 * m + at2 + 2 * m] = (old2 + ys[i8 + 2 * (n / 2)]);
            }
        }
    }
}

__kernel void scatter_in_chunks_1(
    __global const double* restrict zs,
    __global const double* restrict stage0,
    __global double* restrict result,
    int m)
{
    int item0 = (int)get_global_id(0);
    if (item0 < m) {
        double acc0 = zs[item0];
        for (int i0 = 0; i0 < 3; ++i0) {
            acc0 = (acc0 + stage0[i0 * m + item0]);
        }
        result[item0] = acc0;
    }
}
