// <any>
namespace std {

class bad_any_cast : public bad_cast {
public:
    const char* what() const override { return "bad any_cast"; }
};
struct __held {
    virtual ~__held() {}
    virtual __held* copy() const = 0;
    virtual type_info type() const = 0;
};
template <class T> struct __held_value : public __held {
    T value;
    explicit __held_value(const T& from) : value(from) {}
    __held* copy() const override { return new __held_value<T>(value); }
    type_info type() const override { return typeid(T); }
};
class any {
public:
    any() : __is(nullptr) {}
    any(const any& other) : __is(other.__is ? other.__is->copy() : nullptr) {}
    any(any&& other) : __is(other.__is) { other.__is = nullptr; }
    template <class T> any(const T& value) : __is(new __held_value<decay_t<T>>(value)) {}
    any(const char* text) : __is(new __held_value<const char*>(text)) {}
    ~any() { delete __is; }
    any& operator=(const any& other) {
        __held* copied = other.__is ? other.__is->copy() : nullptr;
        delete __is;
        __is = copied;
        return *this;
    }
    void reset() {
        delete __is;
        __is = nullptr;
    }
    bool has_value() const { return __is != nullptr; }
    type_info type() const { return __is ? __is->type() : type_info("v"); }
    __held* __is;
};
template <class T> T* any_cast(any* of) {
    return of->__is && of->__is->type() == typeid(T) ? &((__held_value<T>*)of->__is)->value : nullptr;
}
template <class T> const T* any_cast(const any* of) { return any_cast<T>((any*)of); }
template <class T> T any_cast(const any& of) {
    T* value = any_cast<T>((any*)&of);
    if (!value) {
        throw bad_any_cast();
    }
    return *value;
}
template <class T> any make_any(const T& value) { return any(value); }

}  // namespace std
