/** ⇄ A PDF file written object by object: pages go to the disk when they are done, fonts when all text is known. */
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import type { Fonts, UsedFont } from './fonts.ts'
import { subsetOf } from './subset.ts'

/*
 * Our own instead of pdfkit or pdf-lib: they bring 19 to 26 MB to a production install, hold or re-flow a whole
 * document, and take one font at a time, so that names in several scripts would have to be taken apart here anyway.
 */

/** A4 lying down, in points. */
export const PAGE = { width: 842, height: 595 } as const

const packed = promisify(deflate)

export interface PdfDocument {
  readonly pages: number
  /** Writes a page of these operators. */
  page(operators: string): Promise<void>
  /** Writes what every page may draw as /Total, then the fonts and the directory; closes the file. */
  close(total: (pages: number) => string): Promise<void>
}

interface Output {
  readonly file: FileHandle
  /** Where each object begins, by its number. */
  readonly places: number[]
  end: number
}

/** Numbers of the objects that others name before they are written. */
const [CATALOG, PAGES, INFO, TOTAL, FONTS] = [1, 2, 3, 4, 5]
/** Objects of one font. */
const PER_FONT = 5
const MOST_FONTS = 2

/** Begins a document at `path`. */
export async function openDocument(path: string, fonts: Fonts, title: string, made: Date): Promise<PdfDocument> {
  const output: Output = { file: await open(path, 'w'), places: [], end: 0 }
  const kids: number[] = []
  let next = FONTS + PER_FONT * MOST_FONTS
  await raw(output, Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'))
  return {
    get pages() {
      return kids.length
    },
    async page(operators) {
      const [page, content] = [next++, next++]
      await stream(output, content, '', Buffer.from(operators, 'latin1'))
      const resources = `<< ${fontNames()} /XObject << /Total ${TOTAL} 0 R >> >>`
      const box = `[0 0 ${PAGE.width} ${PAGE.height}]`
      await object(
        output,
        page,
        `<< /Type /Page /Parent ${PAGES} 0 R /MediaBox ${box} /Resources ${resources} /Contents ${content} 0 R >>`,
      )
      kids.push(page)
    },
    async close(total) {
      const form = `/Type /XObject /Subtype /Form /BBox [0 -4 60 12] /Resources << ${fontNames()} >> `
      await stream(output, TOTAL, form, Buffer.from(total(kids.length), 'latin1'))
      for (let at = 0; at < MOST_FONTS; at++) {
        const used = fonts.used[at] ?? fonts.used[0]!
        await writeFont(output, FONTS + PER_FONT * at, used)
      }
      await object(
        output,
        CATALOG,
        `<< /Type /Catalog /Pages ${PAGES} 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>`,
      )
      const list = kids.map((kid) => `${kid} 0 R`).join(' ')
      await object(output, PAGES, `<< /Type /Pages /Count ${kids.length} /Kids [${list}] >>`)
      const stamp = made.toISOString().replace(/\D/g, '').slice(0, 14)
      await object(output, INFO, `<< /Title ${textString(title)} /Producer (Plinth) /CreationDate (D:${stamp}Z) >>`)
      await directory(output)
      await output.file.close()
    },
  }
}

/** The name by which pages call the font of a number. */
export function fontName(at: number): string {
  return `/F${at}`
}

function fontNames(): string {
  const names = Array.from({ length: MOST_FONTS }, (_, at) => `${fontName(at)} ${FONTS + PER_FONT * at} 0 R`)
  return `/Font << ${names.join(' ')} >>`
}

function textString(text: string): string {
  return `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
}

async function raw(output: Output, bytes: Buffer): Promise<void> {
  await output.file.write(bytes, 0, bytes.length, output.end)
  output.end += bytes.length
}

async function object(output: Output, number: number, text: string): Promise<void> {
  output.places[number] = output.end
  await raw(output, Buffer.from(`${number} 0 obj\n${text}\nendobj\n`, 'latin1'))
}

async function stream(output: Output, number: number, entries: string, bytes: Buffer): Promise<void> {
  const short = await packed(bytes)
  output.places[number] = output.end
  const head = `${number} 0 obj\n<< ${entries}/Filter /FlateDecode /Length ${short.length} >>\nstream\n`
  await raw(output, Buffer.concat([Buffer.from(head, 'latin1'), short, Buffer.from('\nendstream\nendobj\n')]))
}

async function directory(output: Output): Promise<void> {
  const { places, end } = output
  const lines = Array.from({ length: places.length }, (_, number) => {
    const place = places[number]
    // The first is the head of a list of free objects, of which there are no others.
    return place === undefined ? '0000000000 65535 f \n' : `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const trailer = `trailer\n<< /Size ${places.length} /Root ${CATALOG} 0 R /Info ${INFO} 0 R >>\nstartxref\n${end}\n%%EOF\n`
  await raw(output, Buffer.from(`xref\n0 ${places.length}\n${lines.join('')}${trailer}`, 'latin1'))
}

/** A font in five objects: itself, its kind, what it looks like, its glyphs, and which characters they are. */
async function writeFont(output: Output, number: number, { name, font, glyphs }: UsedFont): Promise<void> {
  const [kind, look, program, meaning] = [number + 1, number + 2, number + 3, number + 4]
  const full = `/AAAAAA+${name}`
  const widths = glyphs.map(({ glyph }) => Math.round(font.widthOf(glyph))).join(' ')
  await object(
    output,
    number,
    `<< /Type /Font /Subtype /Type0 /BaseFont ${full} /Encoding /Identity-H /DescendantFonts [${kind} 0 R] /ToUnicode ${meaning} 0 R >>`,
  )
  await object(
    output,
    kind,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${full} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${look} 0 R /CIDToGIDMap /Identity /DW 600 /W [0 [${widths}]] >>`,
  )
  const [ascent, descent] = [Math.round(font.ascent), Math.round(font.descent)]
  await object(
    output,
    look,
    `<< /Type /FontDescriptor /FontName ${full} /Flags 4 /FontBBox [${font.box.join(' ')}] /ItalicAngle 0 /Ascent ${ascent} /Descent ${descent} /CapHeight ${ascent} /StemV 80 /FontFile2 ${program} 0 R >>`,
  )
  const subset = subsetOf(
    font,
    glyphs.map(({ glyph }) => glyph),
  )
  await stream(output, program, `/Length1 ${subset.length} `, subset)
  await stream(output, meaning, '', Buffer.from(meaningOf(glyphs), 'latin1'))
}

/** So many entries one block of such a map may have. */
const BLOCK = 100

/** Glyph → character, so that text can be found and copied. */
function meaningOf(glyphs: UsedFont['glyphs']): string {
  const lines = glyphs.map(({ character }, number) => {
    const text = Buffer.from(String.fromCodePoint(character), 'utf16le').swap16().toString('hex')
    return `<${number.toString(16).padStart(4, '0')}> <${text}>`
  })
  const blocks: string[] = []
  for (let at = 0; at < lines.length; at += BLOCK) {
    const block = lines.slice(at, at + BLOCK)
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`)
  }
  return `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n${blocks.join('\n')}\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend`
}
