"""Requests byte by byte: those that servers may understand differently."""

GET = b'GET / HTTP/1.1\r\nHost: x\r\n'
POST = b'POST / HTTP/1.1\r\nHost: x\r\n'


def chunked(data):
    return POST + b'Transfer-Encoding: chunked\r\n\r\n' + data


def sized(value):
    return POST + b'Content-Length: ' + value + b'\r\n\r\n'


#: Name: (what a client sends, the status of the answer)
MALFORMED = {
    # The request line.
    'version_with_junk': (b'GET / HTTP/1.1junk\r\nHost: x\r\n\r\n', 400),
    'version_1.9': (b'GET / HTTP/1.9\r\nHost: x\r\n\r\n', 400),
    'version_2.0': (b'GET / HTTP/2.0\r\nHost: x\r\n\r\n', 400),
    'version_in_lower_case': (b'GET / http/1.1\r\nHost: x\r\n\r\n', 400),
    'http_2_preface': (b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400),
    'no_version': (b'GET /\r\n\r\n', 400),
    'nonsense': (b'nonsense\r\n\r\n', 400),
    'tls_hello': (b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400),
    'tabs': (b'GET\t/\tHTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'two_spaces': (b'GET  / HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'method': (b'G{T / HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'relative_target': (b'GET foo HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'connect': (b'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'escape_in_target': (b'GET /\x1b[2J HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'cr_in_target': (b'GET /a\rb HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'nul_in_target': (b'GET /a\x00b HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'del_in_target': (b'GET /a\x7fb HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'latin_1_in_target': (b'GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    # Ends of lines.
    'bare_lf_only': (b'GET / HTTP/1.1\nHost: x\n\n', 400),
    'bare_lf_once': (GET + b'A: b\nC: d\r\n\r\n', 400),
    'bare_cr': (GET + b'A: b\rC: d\r\n\r\n', 400),
    'lf_cr': (GET + b'A: b\n\rC: d\r\n\r\n', 400),
    # Headers.
    'nul_in_value': (GET + b'A: b\x00c\r\n\r\n', 400),
    'escape_in_value': (GET + b'A: b\x1bc\r\n\r\n', 400),
    'backspace_in_value': (GET + b'A: b\x08c\r\n\r\n', 400),
    'vertical_tab_in_value': (GET + b'A: b\x0bc\r\n\r\n', 400),
    'control_in_name': (GET + b'A\x01: b\r\n\r\n', 400),
    'space_in_name': (GET + b'A b: c\r\n\r\n', 400),
    'space_before_colon': (GET + b'A : b\r\n\r\n', 400),
    'no_name': (GET + b': b\r\n\r\n', 400),
    'no_colon': (GET + b'Abc\r\n\r\n', 400),
    'folded': (GET + b'A: b\r\n c\r\n\r\n', 400),
    'folded_at_once': (b'GET / HTTP/1.1\r\n Host: x\r\n\r\n', 400),
    'no_host': (b'GET / HTTP/1.1\r\n\r\n', 400),
    'empty_host': (b'GET / HTTP/1.1\r\nHost:\r\n\r\n', 400),
    'two_hosts': (GET + b'Host: x\r\n\r\n', 400),
    'two_hosts_1.0': (b'GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n', 400),
    'malformed_host': (b'GET / HTTP/1.1\r\nHost: a b/c\r\n\r\n', 400),
    'address_of_host': (b'GET / HTTP/1.1\r\nHost: [5:1]\r\n\r\n', 400),
    'port_of_host': (b'GET / HTTP/1.1\r\nHost: x:99999\r\n\r\n', 400),
    'address_in_target': (
        b'GET http://[::g]/ HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'user_in_host': (b'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n', 400),
    'user_in_target': (b'GET http://a@b/ HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'markup_in_target': (
        b'GET http://a"b<c>/ HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'no_host_in_target': (b'GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'query_in_host_of_target': (
        b'GET http://a?/ HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'port_of_target': (
        b'GET http://a:999999/ HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    'endless_line': (b'GET /' + b'x' * 20000, 431),
    'endless_header': (GET + b'A: ' + b'x' * 20000, 431),
    'endless_head': (GET + (b'A: ' + b'x' * 16000 + b'\r\n') * 5, 431),
    'many_headers': (GET + b'A: b\r\n' * 300 + b'\r\n', 431),
    # How long the body is.
    'length_no_number': (sized(b'x'), 400),
    'length_empty': (sized(b''), 400),
    'length_negative': (sized(b'-1') + b'x', 400),
    'length_with_plus': (sized(b'+1') + b'x', 400),
    'length_with_underscore': (sized(b'1_0') + b'x' * 10, 400),
    'length_hexadecimal': (sized(b'0x1') + b'x', 400),
    'length_other_digits': (sized('\u0661'.encode()) + b'x', 400),
    'length_of_5000_digits': (sized(b'9' * 5000), 400),
    'length_of_21_digits': (sized(b'9' * 21), 400),
    'lengths_that_differ': (
        POST + b'Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx', 400),
    'list_of_lengths': (sized(b'1, 2') + b'xx', 400),
    'length_and_chunks': (
        POST + b'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'
        b'0\r\n\r\n', 400),
    'chunks_in_1.0': (
        b'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        400),
    'coding_unknown': (POST + b'Transfer-Encoding: gzip\r\n\r\n', 501),
    'coding_almost_known': (POST + b'Transfer-Encoding: xchunked\r\n\r\n',
                            501),
    'coding_twice': (POST + b'Transfer-Encoding: chunked\r\n' * 2 + b'\r\n',
                     501),
    'coding_list': (
        POST + b'Transfer-Encoding: chunked, identity\r\n\r\n', 501),
    'coding_after_control': (
        POST + b'Transfer-Encoding: \x0bchunked\r\n\r\n', 400),
    # Chunks.
    'chunk_size_0x2': (chunked(b'0x2\r\nab\r\n0\r\n\r\n'), 400),
    'chunk_size_with_plus': (chunked(b'+2\r\nab\r\n0\r\n\r\n'), 400),
    'chunk_size_negative': (chunked(b'-2\r\nab\r\n0\r\n\r\n'), 400),
    'chunk_size_after_space': (chunked(b' 2\r\nab\r\n0\r\n\r\n'), 400),
    'chunk_size_with_underscore': (chunked(b'0_2\r\nab\r\n0\r\n\r\n'), 400),
    'chunk_size_no_number': (chunked(b'zz\r\nab\r\n0\r\n\r\n'), 400),
    'chunk_size_empty': (chunked(b'\r\nab\r\n0\r\n\r\n'), 400),
    'chunk_size_of_5000_digits': (chunked(b'f' * 5000 + b'\r\nab'), 400),
    'chunk_size_endless': (chunked(b'0' * 70000), 431),
    'chunk_size_other_digits': (
        chunked('\u0662\r\nab\r\n0\r\n\r\n'.encode()), 400),
    'chunk_longer_than_said': (chunked(b'2\r\nabcd\r\n0\r\n\r\n'), 400),
    'chunk_lines_of_lf': (chunked(b'2\nab\n0\n\n'), 400),
    'chunk_size_before_lf': (chunked(b'2\nab\r\n0\r\n\r\n'), 400),
    'chunk_before_lf': (chunked(b'2\r\nab\n0\r\n\r\n'), 400),
    'last_chunk_before_lf': (chunked(b'2\r\nab\r\n0\r\n\n'), 400),
    'lf_in_extension': (chunked(b'2;a\nb\r\nab\r\n0\r\n\r\n'), 400),
    'nul_in_extension': (chunked(b'2;a=\0\r\nab\r\n0\r\n\r\n'), 400),
    'cr_in_extension': (chunked(b'2;a=\rb\r\nab\r\n0\r\n\r\n'), 400),
    'escape_in_second_extension': (
        chunked(b'2\r\nab\r\n1;\x1b[2J\r\nc\r\n0\r\n\r\n'), 400),
    'nul_in_last_extension': (chunked(b'2\r\nab\r\n0;\0\r\n\r\n'), 400),
    'nul_in_trailer': (chunked(b'0\r\nA: b\0\r\n\r\n'), 400),
    'trailer_before_lf': (chunked(b'0\r\nA: b\n\r\n'), 400),
    'endless_trailers': (chunked(b'0\r\n' + b'A: b\r\n' * 20000), 431),
    'very_many_chunks': (chunked(b'1\r\nx\r\n' * 20000), 413),
}

#: Name: (what a client sends, the body of the answer of an application that
#: returns the body of the request)
GOOD = {
    'plain': (GET + b'\r\n', b''),
    'empty_lines_before': (b'\r\n\r\n' + GET + b'\r\n', b''),
    'port_of_host': (b'GET / HTTP/1.1\r\nHost: x:80\r\n\r\n', b''),
    'ipv6_host': (b'GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n', b''),
    'empty_port_of_host': (b'GET / HTTP/1.1\r\nHost: x:\r\n\r\n', b''),
    'ipv6_target': (
        b'GET http://[::1]:80/ HTTP/1.1\r\nHost: x\r\n\r\n', b''),
    'absolute_target': (b'GET http://y/ HTTP/1.1\r\nHost: x\r\n\r\n', b''),
    'no_host_1.0': (b'GET / HTTP/1.0\r\n\r\n', b''),
    'tab_in_value': (GET + b'A: b\tc\r\n\r\n', b''),
    'latin_1_in_value': (GET + b'A: \xe9\r\n\r\n', b''),
    'wish_to_upgrade': (
        GET + b'Connection: upgrade\r\nUpgrade: h2c\r\n\r\n', b''),
    'length': (sized(b'2') + b'ab', b'ab'),
    'length_with_zeros': (sized(b'002') + b'ab', b'ab'),
    'same_length_twice': (
        POST + b'Content-Length: 2\r\n' * 2 + b'\r\nab', b'ab'),
    'chunks': (chunked(b'1\r\na\r\nA\r\n0123456789\r\n0\r\n\r\n'),
               b'a0123456789'),
    'chunk_extension': (chunked(b'2;a=b\r\nab\r\n0\r\n\r\n'), b'ab'),
    'line_ends_and_nul_in_chunks': (
        chunked(b'3\r\n\r\n\0\r\n2;a="b"\r\n\r\n\r\n0;c\r\n\r\n'),
        b'\r\n\0\r\n'),
    'long_chunks': (
        chunked(b'1000\r\n' + b'\0' * 4096 + b'\r\nffe\r\n'
                + b'\n' * 4094 + b'\r\n0\r\n\r\n'),
        b'\0' * 4096 + b'\n' * 4094),
    'trailers': (chunked(b'2\r\nab\r\n0\r\nA: b\r\n\r\n'), b'ab'),
    'line_ends_in_chunk': (chunked(b'4\r\n\n\r\n\n\r\n0\r\n\r\n'),
                           b'\n\r\n\n'),
}
