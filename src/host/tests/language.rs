//! Statements and expressions.

use super::harness::{output, printed, run_with};

#[test]
fn integers_wrap_shift_and_convert_as_on_x86() {
    let text = printed(
        r#"
        int a = 2147483647; a = a + 1; unsigned b = 0; b = b - 1;
        char c = 200; unsigned char d = 300; short e = 70000;
        long long f = 1LL << 40; unsigned g = 3000000000u; int h = -7;
        printf("%d %u %d %d %d %lld %u\n", a, b, c, d, e, f, g);
        printf("%d %d %d %u %lld\n", h / 2, h % 2, h >> 1, g >> 4, f >> 3);
        double x = 1e10; float y = 0.1f;
        printf("%d %d %u %.9f %d\n", (int)x, (int)-2.9, (unsigned)3e9, y, (int)(y * 100));
        c += 100; d++; printf("%d %d %d\n", c, d, (char)(c * 3));
        bool t = 7; printf("%d %d\n", t, !t);
        "#,
    );
    let expected = "-2147483648 4294967295 -56 44 4464 1099511627776 3000000000\n\
                    -3 -1 -4 187500000 137438953472\n\
                    -2147483648 -2 3000000000 0.100000001 10\n\
                    44 45 -124\n1 0\n";
    assert_eq!(text, expected);
}

#[test]
fn loops_switches_and_jumps_go_where_they_lead() {
    let text = printed(
        r#"
        int sum = 0;
        for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 8) break; sum += i; }
        int n = 0; while (n < 5) n += 2; do { n--; } while (n > 3);
        for (int i = 0; i < 5; ++i) {
            switch (i) { case 0: printf("zero "); case 1: printf("one "); break;
                         case 3: continue; default: printf("other "); }
            printf("%d ", i);
        }
        printf("| %d %d\n", sum, n);
        int k = 0;
        again: k++; if (k < 4) goto again;
        printf("%d %d\n", k, k > 2 && sum > 100 || n == 3 ? 5 : 6);
        "#,
    );
    assert_eq!(text, "zero one 0 one 1 other 2 other 4 | 25 3\n4 5\n");
}

#[test]
fn structs_arrays_and_pointers_lie_in_memory() {
    let text = output(
        r#"
        #include <stdio.h>
        struct P { int x; double y; };
        struct Q { P p[2]; char name[8]; };
        P twice(P p) { p.x *= 2; p.y *= 2; return p; }
        void swap(int* a, int* b) { int t = *a; *a = *b; *b = t; }
        void add(int& a, int by) { a += by; }
        int table[2][3] = {{1, 2, 3}, {4}};
        int main() {
            Q q = {{{1, 2.5}, {3}}, "abc"};
            P r = twice(q.p[0]);
            q.p[1] = r;
            printf("%d %.1f %d %.1f %s\n", r.x, r.y, q.p[1].x, q.p[0].y, q.name);
            int a = 1, b = 2; swap(&a, &b); add(a, 10);
            printf("%d %d\n", a, b);
            int sum = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) sum += table[i][j];
            int* p = &table[0][0]; p += 3; printf("%d %d %ld\n", sum, *p++, (long)(p - &table[0][0]));
            char text[] = "hello"; for (char* c = text; *c; ++c) if (*c == 'l') *c = 'L';
            printf("%s %d\n", text, (int)sizeof(text));
            float f[4] = {1.5f}; f[2] += 2; f[1]++; printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
        }
        "#,
    );
    assert_eq!(text, "2 5.0 2 2.5 abc\n12 1\n10 4 3\nheLLo 6\n1.5 1 2 0\n");
}

#[test]
fn functions_recurse_and_main_has_arguments() {
    let text = output(
        r#"
        #include <stdio.h>
        int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        template <class T> T most(T a, T b) { return a > b ? a : b; }
        int main(int argc, char** argv) {
            printf("%d\n", fib(15));
            printf("%d %.1f\n", most(3, 4), most(2.5, 1.5));
            for (int i = 1; i < argc; i++) printf("%s ", argv[i]);
            printf("%d\n", argv[argc] == 0);
            return 0;
        }
        "#,
    );
    assert_eq!(text, "610\n4 2.5\none two 1\n");
}

#[test]
fn arguments_are_evaluated_from_the_right_as_gcc_does() {
    let text = output(
        r#"
        #include <stdio.h>
        int next() { static int n = 0; return ++n; }
        int main() { printf("%d %d %d\n", next(), next(), next()); int a = next() * 10 + next(); printf("%d\n", a); }
        "#,
    );
    assert_eq!(text, "3 2 1\n45\n");
}

#[test]
fn a_program_returns_its_code_and_reads_its_input() {
    let ran = run_with(
        r#"
        #include <stdio.h>
        int main() { int a; double b; char word[10]; int n = scanf("%d %lf %9s", &a, &b, word);
            fprintf(stderr, "%d\n", n); printf("%d %.2f %s\n", a, b, word); return 300; }
        "#,
        " 12 3.5 words",
    );
    assert_eq!(
        (ran.exit.code, ran.output.as_str(), ran.error.as_str()),
        (44, "12 3.50 words\n", "3\n")
    );
}

#[test]
fn an_array_of_run_time_length_is_one_of_its_own_in_each_call() {
    let text = r#"
        #include <stdio.h>
        #include <alloca.h>
        int sum(int n) {
            int parts[n];
            for (int i = 0; i < n; i++) parts[i] = i;
            int deeper = n > 1 ? sum(n - 1) : 0, own = 0;
            for (int i = 0; i < n; i++) own += parts[i];
            return own + deeper;
        }
        int main() {
            int* more = (int*)alloca(4 * sizeof(int));
            more[3] = 5;
            printf("%d %d\n", sum(4), more[3]);
        }"#;
    assert_eq!(output(text), "10 5\n");
}

#[test]
fn small_functions_do_in_their_callers_what_they_do_when_called() {
    let text = output(
        r#"
        #include <cstdio>
        struct Row {
            int* first; int count;
            int& operator[](int i) { return first[i]; }
            int at(int i) const { return i < count ? first[i] : -1; }
            bool has(int i) const { return i >= 0 && i < count; }
        };
        static int twice(int a) { return a + a; }
        static int less(int a, int b) { return a - b; }
        static int half(int a) { return a / 2; }
        static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        static unsigned char narrow(int a) { return a; }
        static int even(int n);
        static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
        static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
        static float mix(float a, float b, float t) { return a + (b - a) * t; }
        int main() {
            int numbers[4] = {1, 2, 3, 4};
            Row row = {numbers, 4};
            int i = 1;
            row[i] = row[i + 1] * 10; row[0] += row[1]; row[twice(i)]++; --row[3];
            printf("%d %d %d %d|", row[0], row[1], row.at(2), row.at(3));
            printf("%d %d %d|", row.at(9), row.has(3), row.has(-1));
            i = twice(i) + i; i = less(i, twice(i)); printf("%d|", i);
            int k = less(half(10), k = 3); printf("%d|", k);
            printf("%d %d %d %d|", fib(15), narrow(300), odd(7), even(7));
            printf("%.3f\n", mix(1, 2, 0.25f));
            return 0;
        }
        "#,
    );
    assert_eq!(text, "31 30 4 3|-1 1 0|-3|2|610 44 1 0|1.250\n");
}
