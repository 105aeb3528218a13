// <functional>: operators as objects, bind, and std::function.
namespace std {

#define __operator(name, R, op) \
    template <class T = void> struct name { \
        __host__ __device__ R operator()(const T& a, const T& b) const { return a op b; } \
    };
// The same of whatever it is given, where no type is said.
#define __operator_of_any(name, R, op) \
    template <> struct name<void> { \
        template <class A, class B> R operator()(const A& a, const B& b) const { return a op b; } \
    };
template <class T = void> struct negate {
    __host__ __device__ T operator()(const T& a) const { return -a; }
};
__operator(plus, T, +)
__operator(minus, T, -)
__operator(multiplies, T, *)
__operator(divides, T, /)
__operator(modulus, T, %)
__operator(less, bool, <)
__operator(greater, bool, >)
__operator(less_equal, bool, <=)
__operator(greater_equal, bool, >=)
__operator(equal_to, bool, ==)
__operator(not_equal_to, bool, !=)
__operator(logical_and, bool, &&)
__operator(logical_or, bool, ||)
__operator(bit_and, T, &)
__operator(bit_or, T, |)
__operator(bit_xor, T, ^)
__operator_of_any(plus, auto, +)
__operator_of_any(minus, auto, -)
__operator_of_any(multiplies, auto, *)
__operator_of_any(less, bool, <)
__operator_of_any(greater, bool, >)
__operator_of_any(equal_to, bool, ==)
#undef __operator
#undef __operator_of_any

template <class T> class reference_wrapper {
public:
    reference_wrapper(T& to) : __to(&to) {}
    operator T&() const { return *__to; }
    T& get() const { return *__to; }

private:
    T* __to;
};
template <class T> reference_wrapper<T> ref(T& value) { return reference_wrapper<T>(value); }
template <class T> reference_wrapper<const T> cref(const T& value) { return reference_wrapper<const T>(value); }

template <class T> T& __unwrapped(T& value) { return value; }
template <class T> T& __unwrapped(reference_wrapper<T>& value) { return value.get(); }

// What `bind` keeps, or which argument of the call stands there.
template <int N> struct __placeholder {};
namespace placeholders {
const __placeholder<1> _1 = {};
const __placeholder<2> _2 = {};
const __placeholder<3> _3 = {};
}  // namespace placeholders
template <class T> struct __bound_value {
    template <class... C> static auto& get(T& held, C&... given) { return __unwrapped(held); }
};
template <> struct __bound_value<__placeholder<1>> {
    template <class A, class... C> static A& get(__placeholder<1>&, A& a, C&... given) { return a; }
};
template <> struct __bound_value<__placeholder<2>> {
    template <class A, class B, class... C> static B& get(__placeholder<2>&, A& a, B& b, C&... given) { return b; }
};
template <> struct __bound_value<__placeholder<3>> {
    template <class A, class B, class D, class... C> static D& get(__placeholder<3>&, A& a, B& b, D& d, C&... given) {
        return d;
    }
};
template <class F, class... A> class __bind_of;
template <class F> class __bind_of<F> {
public:
    __bind_of(F f) : __f(f) {}
    auto operator()() { return __f(); }

private:
    F __f;
};
template <class F, class A> class __bind_of<F, A> {
public:
    __bind_of(F f, A heldA) : __f(f), __heldA(heldA) {}
    template <class... X> auto operator()(X... x) { return __f(__bound_value<A>::get(__heldA, x...)); }

private:
    F __f;
    A __heldA;
};
template <class F, class A, class B> class __bind_of<F, A, B> {
public:
    __bind_of(F f, A heldA, B heldB) : __f(f), __heldA(heldA), __heldB(heldB) {}
    template <class... X> auto operator()(X... x) { return __f(__bound_value<A>::get(__heldA, x...), __bound_value<B>::get(__heldB, x...)); }

private:
    F __f;
    A __heldA;
    B __heldB;
};
template <class F, class A, class B, class C> class __bind_of<F, A, B, C> {
public:
    __bind_of(F f, A heldA, B heldB, C heldC) : __f(f), __heldA(heldA), __heldB(heldB), __heldC(heldC) {}
    template <class... X> auto operator()(X... x) { return __f(__bound_value<A>::get(__heldA, x...), __bound_value<B>::get(__heldB, x...), __bound_value<C>::get(__heldC, x...)); }

private:
    F __f;
    A __heldA;
    B __heldB;
    C __heldC;
};
template <class F, class... A> __bind_of<F, A...> bind(F f, A... held) { return __bind_of<F, A...>(f, held...); }

// What is called: whatever it is, a copy of it.
template <class R, class... A> class __held {
public:
    virtual ~__held() {}
    virtual R call(A... a) = 0;
    virtual __held* copy() const = 0;
};
template <class F, class R, class... A> class __holding : public __held<R, A...> {
public:
    explicit __holding(const F& f) : __f(f) {}
    explicit __holding(F&& f) : __f((F&&)f) {}
    R call(A... a) override { return __f((A&&)a...); }
    __held<R, A...>* copy() const override { return new __holding(__f); }

private:
    F __f;
};
// What functions were once derived from, for the names of their types.
template <class A, class R> struct unary_function {
    using argument_type = A;
    using result_type = R;
};
template <class A, class B, class R> struct binary_function {
    using first_argument_type = A;
    using second_argument_type = B;
    using result_type = R;
};
template <class S> class function;
template <class R, class... A> class function<R(A...)> {
public:
    using result_type = R;
    function() : __of(0) {}
    function(nullptr_t) : __of(0) {}
    template <class F> function(F f) : __of(new __holding<F, R, A...>((F&&)f)) {}
    function(const function& other) : __of(other.__of != 0 ? other.__of->copy() : 0) {}
    function(function& other) : __of(other.__of != 0 ? other.__of->copy() : 0) {}
    function(function&& other) : __of(other.__of) { other.__of = 0; }
    ~function() { delete __of; }
    function& operator=(const function& other) {
        __held<R, A...>* old = __of;
        __of = other.__of != 0 ? other.__of->copy() : 0;
        delete old;
        return *this;
    }
    function& operator=(function&& other) {
        function taken((function&&)other);
        swap(taken);
        return *this;
    }
    explicit operator bool() const { return __of != 0; }
    bool operator==(nullptr_t) const { return __of == 0; }
    bool operator!=(nullptr_t) const { return __of != 0; }
    R operator()(A... a) const {
        if (__of == 0) {
            throw bad_function_call();
        }
        return __of->call((A&&)a...);
    }
    void swap(function& other) { std::swap(__of, other.__of); }

private:
    __held<R, A...>* __of;
};

}  // namespace std
