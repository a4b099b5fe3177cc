/**
 * ⇄ A PDF file with pages to draw on, by pdfkit: boxes, lines and text, measured in points from the upper left corner.
 */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import PDFDocument from 'pdfkit'
import type { GiveWay } from '../../../../engine/index.ts'
import { type Fonts, openFonts, plainText, type Run } from './fonts.ts'

/** A4 in landscape, in points. */
export const PAGE = { width: 842, height: 595 } as const

export interface TextStyle {
  readonly size: number
  readonly color: string
  readonly bold?: boolean
  readonly align?: 'left' | 'right' | 'center'
}

export interface PdfDocument {
  readonly fonts: Fonts
  readonly pages: number
  newPage(): void
  box(x: number, y: number, width: number, height: number, color: string): void
  /** A line through points, `[x, y]` each. */
  line(points: readonly (readonly [number, number])[], color: string, width: number): void
  /** Text on a baseline; `x` is its beginning, end or middle. */
  text(x: number, y: number, text: string, style: TextStyle): void
  /** The width of a text of size 1. */
  widthOf(text: string): number
  /** The width of one character alone, which is quick to find. */
  widthAlone(character: string): number
  /** Draws on every page again, now that their number is known, and closes the file. */
  close(footer: (page: number, pages: number) => void, giveWay: GiveWay): Promise<void>
  /** Abandons the file. */
  abandon(): void
}

/** Without it pdfkit lays words out one by one, from the left. */
const WHOLE_RUN = { features: ['rtla'] as ['rtla'] }

/** Begins a document at `path`; `files` are the fonts of the application. */
export async function openDocument(
  path: string,
  { title, made, files }: { readonly title: string; readonly made: Date; readonly files: readonly string[] },
): Promise<PdfDocument> {
  const pdf = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    pdfVersion: '1.7',
    info: { Title: title, Producer: 'Plinth', Creator: 'Plinth', CreationDate: made },
  })
  const written = pipeline(pdf, createWriteStream(path))
  // close() throws the error; without this an earlier failure would end the process as unhandled.
  written.catch(() => undefined)
  const fonts = await openFonts(files, ({ name, bytes }) => pdf.registerFont(name, bytes))
  let pages = 0
  return {
    fonts,
    get pages() {
      return pages
    },
    newPage() {
      pages += 1
      pdf.addPage()
    },
    ...drawingOn(pdf, fonts),
    async close(footer, giveWay) {
      for (let page = 0; page < pages; page++) {
        pdf.switchToPage(page)
        footer(page + 1, pages)
        await giveWay()
      }
      pdf.end()
      await written
    },
    abandon: () => void Readable.prototype.destroy.call(pdf),
  }
}

/** A run as drawn, with its width at size 1. */
interface ShapedRun extends Run {
  readonly options: { readonly features?: ['rtla'] }
  readonly width: number
}

/** The most texts and single characters whose shapes are kept. */
const MOST_KEPT = 1_000
const MOST_ALONE = 50_000

/** Remembers the results of `make` for the latest texts. */
function kept<T>(most: number, make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= most) known.clear()
    const made = make(text)
    known.set(text, made)
    return made
  }
}

/** Draws on the present page. */
function drawingOn(
  pdf: PDFKit.PDFDocument,
  fonts: Fonts,
): Pick<PdfDocument, 'box' | 'line' | 'text' | 'widthAlone' | 'widthOf'> {
  const shaped = (text: string): readonly ShapedRun[] =>
    fonts.runsOf(plainText(text)).map((run) => {
      const options = run.rightToLeft ? WHOLE_RUN : {}
      return { ...run, options, width: pdf.font(run.font).fontSize(1).widthOfString(run.text, options) }
    })
  // What is drawn was measured before, and the words of a table repeat.
  const runsOf = kept(MOST_KEPT, shaped)
  const widthOf = (text: string): number => runsOf(text).reduce((sum, { width }) => sum + width, 0)
  return {
    widthOf,
    widthAlone: kept(MOST_ALONE, (character) => shaped(character).reduce((sum, { width }) => sum + width, 0)),
    box: (x, y, width, height, color) => void pdf.rect(x, y, width, height).fill(color),
    line(points, color, width) {
      for (const [at, [x, y]] of points.entries()) at === 0 ? pdf.moveTo(x, y) : pdf.lineTo(x, y)
      pdf.lineWidth(width).lineJoin('round').stroke(color)
    },
    text(x, y, text, { size, color, bold = false, align = 'left' }) {
      const runs = runsOf(text)
      const width = runs.reduce((sum, run) => sum + run.width * size, 0)
      let at = align === 'left' ? x : align === 'right' ? x - width : x - width / 2
      // Only one weight is embedded; a bold letter is one with an outline.
      pdf
        .fillColor(color)
        .strokeColor(color)
        .lineWidth(size * 0.035)
      for (const run of runs) {
        const options = { ...run.options, lineBreak: false, baseline: 'alphabetic', fill: true, stroke: bold } as const
        pdf.font(run.font).fontSize(size).text(run.text, at, y, options)
        at += run.width * size
      }
    },
  }
}
