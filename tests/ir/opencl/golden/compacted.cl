#pragma OPENCL FP_CONTRACT OFF
int right_shift_int(int a, int b) { return (int)((uint)b < 32 ? a >> b : a < 0 ? -1 : 0); }

__kernel void compacted(
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    int group0 = (int)get_group_id(0);
    if (group0 < (n / 64)) {
        int item0 = (int)get_local_id(0);
        const int e0 = (64 * group0 + item0);
        const int at0 = (((e0 & 1) == 0) ? right_shift_int(e0, 1) : ((int)(((n + 1) / 2))));
        if (at0 < ((n + 1) / 2)) {
            result[at0] = fabs(xs[64 * group0 + item0]);
        }
        int item1 = (int)get_local_id(0);
        const int e1 = (64 * group0 + item1 + 32);
        const int at1 = (((e1 & 1) == 0) ? right_shift_int(e1, 1) : ((int)(((n + 1) / 2))));
        if (at1 < ((n + 1) / 2)) {
            result[at1] = fabs(xs[64 * group0 + item1 + 32]);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int item2 = (int)get_local_id(0); item2 < (n % 64); item2 += (int)get_local_size(0)) {
            const int e2 = (group1 * (n % 64) + item2 + 64 * (n / 64));
            const int at2 = (((e2 & 1) == 0) ? right_shift_int(e2, 1) : ((int)(((n + 1) / 2))));
            if (at2 < ((n + 1) / 2)) {
                result[at2] = fabs(xs[group1 * (n % 64) + item2 + 64 * (n / 64)]);
            }
        }
    }
}
