/** Named and numbered characters of HTML, `&uuml;` and `&#252;`. */
import { fromWindows1252 } from './text.ts'

/** The names of the characters from 160 to 255, in their order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'

const NAMES: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(' ').map((name, at) => [name, String.fromCharCode(160 + at)] as const),
  ...Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    sbquo: '‚',
    ldquo: '“',
    rdquo: '”',
    bdquo: '„',
    lsaquo: '‹',
    rsaquo: '›',
    hellip: '…',
    bull: '•',
    trade: '™',
    euro: '€',
    rarr: '→',
    larr: '←',
    zwnj: '\u200c',
    zwj: '\u200d',
    ensp: ' ',
    emsp: ' ',
    thinsp: ' ',
  }),
])

/** A text with its entities as characters; what is none stays as it is. */
export function entitiesIn(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,31}\d{0,2}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMES.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    if (code < 0x20 && ![9, 10, 13].includes(code)) return whole
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return whole
    // Programs for Windows write the numbers of their own characters.
    return code >= 0x80 && code < 0xa0 ? (fromWindows1252(code) ?? whole) : String.fromCodePoint(code)
  })
}
