//! The C library.

use super::harness::{output, printed, printed_with, run_with};

/// Conversions of `printf`, and beside them what a program that gcc made of the same text printed with glibc.
#[test]
fn printf_writes_what_glibc_writes() {
    let text = output(include_str!("printf.cu"));
    let expected = include_str!("printf.out");
    for ((line, ours), theirs) in include_str!("printf.cu")
        .lines()
        .skip(2)
        .zip(text.lines())
        .zip(expected.lines())
    {
        assert_eq!(ours, theirs, "{line}");
    }
    assert_eq!(text, expected);
}

#[test]
fn random_numbers_are_those_of_glibc() {
    let text = output(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main() {
            printf("%d %d\n", rand(), rand());
            srand(42);
            for (int i = 0; i < 3; i++) printf("%d ", rand());
            srand(1); int v = 0; for (int i = 0; i < 1000; i++) v = rand(); printf("%d\n", v);
            unsigned s = 7; printf("%d %d\n", rand_r(&s), rand_r(&s));
            printf("%.17g %.17g %.17g\n", drand48(), drand48(), drand48());
            srand48(5); printf("%.17g\n", drand48());
            printf("%ld %ld\n", lrand48(), mrand48());
        }
        "#,
    );
    let expected = "846930886 1804289383\n71876166 708592740 1483128881 1143565421\n\
                    153898277 1187592820\n0.041631001594613082 0.00098539467465030839 3.907985046680551e-14\n\
                    0.52483957943423221\n1693504463 1171900302\n";
    assert_eq!(text, expected);
}

#[test]
fn text_is_copied_compared_and_taken_apart() {
    let text = printed_with(
        "#include <ctype.h>",
        r#"
        char a[32] = "alpha"; char b[32];
        strcpy(b, a); strcat(b, "beta"); strncpy(a + 1, "XYZ", 2);
        printf("%s %s %d %d %d\n", a, b, (int)strlen(b), strcmp(a, b) < 0, strncmp("abc", "abd", 2));
        printf("%s %s %d\n", strchr(b, 'b'), strstr(b, "bet"), strrchr(b, 'z') == 0);
        char line[] = "one, two,,three"; 
        for (char* p = strtok(line, ", "); p; p = strtok(0, ", ")) printf("[%s]", p);
        char* copy = strdup("copy"); copy[0] = 'C'; printf(" %s\n", copy); free(copy);
        int n[4]; memset(n, 1, sizeof(n)); memcpy(n + 2, n, 8); printf("%d %d\n", n[3], memcmp(n, n + 1, 8));
        printf("%d %ld %.3f %lu\n", atoi(" -12x"), strtol("ff", 0, 16), atof("2.5e1"), strtoul("077", 0, 0));
        char* end; double d = strtod("1.5abc", &end); printf("%g %s\n", d, end);
        int x, y; char w[8]; int c = sscanf("10 0x1f word", "%d %x %7s", &x, &y, w); printf("%d %d %d %s\n", c, x, y, w);
        char s[8]; int l = snprintf(s, sizeof(s), "%s-%d", "long text", 5); printf("%d %s\n", l, s);
        printf("%d%d%d %c%c\n", isalpha('a') != 0, isdigit('a') != 0, isspace('\n') != 0, toupper('q'), tolower('Q'));
        "#,
    );
    let expected = "aXYha alphabeta 9 1 0\nbeta beta 1\n[one][two][three] Copy\n16843009 0\n\
                    -12 255 25.000 63\n1.5 abc\n3 10 31 word\n11 long te\n101 Qq\n";
    assert_eq!(text, expected);
}

#[test]
fn blocks_keep_what_they_hold_when_they_grow() {
    let text = printed(
        r#"
        int* p = (int*)malloc(4 * sizeof(int)); for (int i = 0; i < 4; i++) p[i] = i * i;
        p = (int*)realloc(p, 1000 * sizeof(int)); p[999] = 5;
        int* q = (int*)calloc(10, sizeof(int));
        printf("%d %d %d %d\n", p[3], p[999], q[9], (int)((size_t)p % 16)); free(p); free(q); free(0);
        "#,
    );
    assert_eq!(text, "9 5 0 0\n");
}

#[test]
fn files_are_read_where_they_may_be_and_written_in_memory_only() {
    let ran = run_with(
        r#"
        #include <stdio.h>
        int main() {
            FILE* f = fopen("numbers.txt", "r"); int a; float b; char w[16]; char line[32];
            int n = fscanf(f, "%d %f %s", &a, &b, w); printf("%d %d %.1f %s|", n, a, b, w);
            fgets(line, 32, f); fgets(line, 32, f); printf("%s%d\n", line, fgets(line, 32, f) == 0);
            printf("%d\n", feof(f) != 0); fclose(f);
            FILE* out = fopen("out.txt", "w"); fprintf(out, "%d rows\n", 12); fputs("end", out); fclose(out);
            out = fopen("out.txt", "a"); fwrite("ing\n", 1, 4, out); fclose(out);
            out = fopen("out.txt", "r"); fscanf(out, "%d", &a); fgets(line, 32, out); fgets(line, 32, out);
            printf("%d %s", a, line); fclose(out);
            printf("%d\n", fopen("other.txt", "r") == 0);
            char in[8]; while (fgets(in, 8, stdin)) printf("<%s>", in);
            return 0;
        }
        "#,
        "first line\nend",
    );
    assert_eq!(
        ran.output,
        "3 1 2.5 three|four\n1\n1\n12 ending\n1\n<first l><ine\n><end>"
    );
    let warnings = ran.exit.warnings.iter();
    let messages: Vec<&str> = warnings.map(|warning| &warning.message[..]).collect();
    assert_eq!(
        messages,
        [
            "the file `out.txt` is written in memory only: it is gone with the program",
            "the file `out.txt` is written in memory only: it is gone with the program",
            "the file `other.txt` is not read: opening it gives NULL"
        ]
    );
}

#[test]
fn the_environment_has_what_the_program_has_put_there() {
    let text = output(
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main() {
            printf("%d ", getenv("HOME") == 0);
            setenv("A", "32", 1); setenv("A", "33", 0); printf("%s ", getenv("A"));
            setenv("A", "34", 1); char* kept = getenv("A"); unsetenv("A");
            printf("%s %d\n", kept, getenv("A") == 0);
            return 0;
        }
        "#,
    );
    assert_eq!(text, "1 32 34 1\n");
}

#[test]
fn threads_run_one_behind_the_other() {
    let text = output(
        r#"
        #include <pthread.h>
        #include <stdio.h>
        struct Part { int first, last; long sum; };
        pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        long all = 0;
        void* add(void* argument) {
            Part* part = (Part*)argument;
            for (int i = part->first; i < part->last; i++) part->sum += i;
            pthread_mutex_lock(&lock); all += part->sum; pthread_mutex_unlock(&lock);
            if (part->first == 0) pthread_exit((void*)7);
            return part;
        }
        int main() {
            pthread_t threads[2]; Part parts[2] = {{0, 10, 0}, {10, 20, 0}};
            for (int i = 0; i < 2; i++) printf("%d ", pthread_create(&threads[i], NULL, add, &parts[i]));
            void* results[2];
            for (int i = 0; i < 2; i++) pthread_join(threads[i], &results[i]);
            printf("%ld %ld %d\n", (long)results[0], all, results[1] == &parts[1]);
            return 0;
        }
        "#,
    );
    assert_eq!(text, "0 0 7 190 1\n");
}

#[test]
fn time_passes_the_same_in_every_run() {
    let text = output(
        r#"
        #include <stdio.h>
        #include <time.h>
        int main() {
            time_t t = time(0); struct tm* d = localtime(&t);
            clock_t a = clock(); long sum = 0; for (long i = 0; i < 200000; i++) sum += i; clock_t b = clock();
            char text[32]; strftime(text, 32, "%Y-%m-%d", d); printf("%s %d\n", text, b > a);
        }
        "#,
    );
    assert_eq!(text, "2026-01-01 1\n");
}
