/* palette.h - the colours of the drawings (private to report/draw/).
 *
 * Few, and told apart by lightness too: what is wrong is dark vermilion with a white mark, what is
 * right is pale blue with a dark mark, so that a grey print and every kind of colour blindness keep
 * the difference. The hues follow Okabe and Ito, "Color Universal Design" (2008), vermilion and
 * blue, darkened or paled. */
#ifndef REPORT_DRAW_PALETTE_H
#define REPORT_DRAW_PALETTE_H

#include <cairo.h>

/* X(name, red, green, blue) */
#define COLOUR_LIST(X)                                                                             \
	X(INK, 0x1b, 0x22, 0x2b)   /* text */                                                      \
	X(SOFT, 0x5a, 0x65, 0x71)  /* labels, notes: contrast 6 to 1 on white */                   \
	X(FAINT, 0xa9, 0xb2, 0xbb) /* marks that mean "nothing here" */                            \
	X(RULE, 0xd5, 0xda, 0xdf)  /* lines */                                                     \
	X(BAND, 0xf1, 0xf3, 0xf5)  /* behind group headings and bars */                            \
	X(WHITE, 0xff, 0xff, 0xff)                                                                 \
	X(WRONG, 0xbf, 0x45, 0x00) /* a verdict that is wrong */                                   \
	X(RIGHT, 0xd6, 0xe7, 0xf3) /* a verdict that is right */                                   \
	X(RIGHT_INK, 0x1d, 0x5a, 0x87)                                                             \
	X(OPEN, 0x3c, 0x47, 0x53)     /* a refusal whose rightness nobody has told us */           \
	X(BAR, 0x2a, 0x6f, 0xa3)      /* failing by value */                                       \
	X(BAR_PALE, 0x9d, 0xc4, 0xdf) /* failing by a finding of the sanitizers alone */           \
	/* series of data: Okabe and Ito's, told apart by shape too */                             \
	X(BLUE, 0x00, 0x72, 0xb2)                                                                  \
	X(ORANGE, 0xe6, 0x9f, 0x00)                                                                \
	X(GREEN, 0x00, 0x9e, 0x73)                                                                 \
	X(RED, 0xd5, 0x5e, 0x00)                                                                   \
	X(PURPLE, 0xcc, 0x79, 0xa7)                                                                \
	/* how wrong: darker is more */                                                            \
	X(HEAT_1, 0xf3, 0xb3, 0x7a)                                                                \
	X(HEAT_2, 0xd5, 0x5e, 0x00)                                                                \
	X(HEAT_3, 0x6e, 0x1e, 0x00)

enum colour {
#define X(name, r, g, b) C_##name,
	COLOUR_LIST(X)
#undef X
	        C_COUNT
};

void colour_set(cairo_t *cr, enum colour c);

#endif
