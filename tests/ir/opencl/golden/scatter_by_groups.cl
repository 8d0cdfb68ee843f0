#pragma OPENCL FP_CONTRACT OFF
void add_local_4(volatile __local uint *p, uint v) { atomic_add(p, v); }
void add_local_8(volatile __local uint *p, ulong v) {
    const uint low = (uint)v, before = atomic_add(p, low), high = (uint)(v >> 32) + (before + low < before);
    if (high != 0) atomic_add(p + 1, high);
}
int floor_div(int a, int b) {
    int q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

__kernel void scatter_by_groups_0(
    __global const float* restrict xs,
    __global long* restrict stage0,
    int m,
    int n)
{
    __local long shared0[16] __attribute__((aligned(16)));
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < -floor_div(-m, 16); ++i0) {
        for (int i1 = 0; i1 < 2; ++i1) {
            int item0 = (int)get_local_id(0);
            shared0[8 * i1 + item0] = 0L;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int item1 = (int)get_local_id(0); item1 < (n / 4); item1 += (int)get_local_size(0)) {
            const long t0 = (long)((ulong)((long)((int)fabs(xs[group0 * (n / 4) + item1]))) - (ulong)(long)((ulong)(long)i0 * (ulong)((long)16)));
            const long wide0 = t0;
            if (0 <= wide0 && wide0 < 16) {
                const int at0 = (int)wide0;
                add_local_8((volatile __local uint *)&shared0[at0], 1L);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i2 = 0; i2 < 2; ++i2) {
            int item2 = (int)get_local_id(0);
            if (16 * i0 + 8 * i2 + item2 < m) {
                stage0[group0 * m + 16 * i0 + 8 * i2 + item2] = shared0[8 * i2 + item2];
            }
        }
    }
    for (int group1 = (int)get_group_id(0); group1 < 1; group1 += (int)get_num_groups(0)) {
        for (int i3 = 0; i3 < -floor_div(-m, 16); ++i3) {
            for (int i4 = 0; i4 < 2; ++i4) {
                int item3 = (int)get_local_id(0);
                shared0[8 * i4 + item3] = 0L;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            int item4 = (int)get_local_id(0);
            if (item4 < (n % 4)) {
                const long t1 = (long)((ulong)((long)((int)fabs(xs[item4 + 4 * (n / 4)]))) - (ulong)(long)((ulong)(long)i3 * (ulong)((long)16)));
                const long wide1 = t1;
                if (0 <= wide1 && wide1 < 16) {
                    const int at1 = (int)wide1;
                    add_local_8((volatile __local uint *)&shared0[at1], 1L);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i5 = 0; i5 < 2; ++i5) {
                int item5 = (int)get_local_id(0);
                if (16 * i3 + 8 * i5 + item5 < m) {
                    stage0[group1 * m + 16 * i3 + 8 * i5 + item5 + 4 * m] = shared0[8 * i5 + item5];
                }
            }
        }
    }
}

__kernel void scatter_by_groups_1(
    __global const long* restrict stage0,
    __global long* restrict result,
    int m)
{
    int group0 = (int)get_group_id(0);
    long acc0 = 0L;
    for (int i0 = 0; i0 < 5; ++i0) {
        acc0 = (long)((ulong)acc0 + (ulong)stage0[i0 * m + group0]);
    }
    result[group0] = (long)((ulong)0L + (ulong)acc0);
}
