/* mcap_format.h - numbers of the MCAP format, for its reader and writer. Source: mcap.dev, specification. */
#ifndef STN_TAPE_MCAP_FORMAT_H
#define STN_TAPE_MCAP_FORMAT_H

#define MCAP_MAGIC "\x89MCAP0\r\n"
#define MCAP_MAGIC_LEN 8u
#define MCAP_RECORD_HEAD 9u /* opcode and length */

enum mcap_opcode {
    MCAP_HEADER = 0x01,
    MCAP_FOOTER = 0x02,
    MCAP_SCHEMA = 0x03,
    MCAP_CHANNEL = 0x04,
    MCAP_MESSAGE = 0x05,
    MCAP_CHUNK = 0x06,
    MCAP_MESSAGE_INDEX = 0x07,
    MCAP_CHUNK_INDEX = 0x08,
    MCAP_STATISTICS = 0x0B,
    MCAP_SUMMARY_OFFSET = 0x0E,
    MCAP_DATA_END = 0x0F,
};

#endif
