#pragma once
// Files that go with the test, and a certificate made for it.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace braid::net {

/// Gone with its owner.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : P_tmpdir) + "/braid-net-XXXXXX";
    ::close(mkstemp(path_.data()));
    write(content);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  void write(std::string_view content) const {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
  }

 private:
  std::string path_;
};

/// A self-signed certificate for localhost and 127.0.0.1, valid for an hour, and its key, as PEM texts.
struct Certificate {
  std::string chain;
  std::string key;

  Certificate() {
    EVP_PKEY* pair = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, pair);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1,
                               -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    X509_add_ext(certificate, names, -1);
    X509_sign(certificate, pair, EVP_sha256());
    chain = text([&](BIO* out) { PEM_write_bio_X509(out, certificate); });
    key = text([&](BIO* out) { PEM_write_bio_PrivateKey(out, pair, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_EXTENSION_free(names);
    X509_free(certificate);
    EVP_PKEY_free(pair);
  }

 private:
  template <class Write>
  static std::string text(Write write) {
    BIO* out = BIO_new(BIO_s_mem());
    write(out);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out, &bytes);
    std::string pem(bytes, static_cast<std::size_t>(size));
    BIO_free(out);
    return pem;
  }
};

}  // namespace braid::net
