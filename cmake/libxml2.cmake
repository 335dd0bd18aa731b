# libxml2 (MIT), reads the HTML of documents, from the system.
find_package(LibXml2 REQUIRED)
