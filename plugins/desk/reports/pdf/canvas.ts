/** One page while it is drawn: boxes, lines and text, measured in points from its upper left corner. */
import { fontName, PAGE } from './document.ts'
import { type Fonts, plainText } from './fonts.ts'

/** Red, green and blue from 0 to 1. */
export type Color = readonly [number, number, number]

export interface TextStyle {
  readonly size: number
  readonly color: Color
  readonly bold?: boolean
  readonly align?: 'left' | 'right' | 'center'
}

export interface Canvas {
  /** The operators so far. */
  readonly operators: string[]
  box(x: number, y: number, width: number, height: number, color: Color): void
  /** A line through points, `[x, y]` each. */
  line(points: readonly (readonly [number, number])[], color: Color, width: number): void
  /** Text on a baseline; `x` is where it begins, ends or has its middle. */
  text(x: number, y: number, text: string, style: TextStyle): void
}

const number = (value: number): string => String(Math.round(value * 100) / 100)
const rgb = (color: Color): string => color.map(number).join(' ')

/** The part of a text that fits a width, with an ellipsis where that is not all. */
export function fitting(fonts: Fonts, text: string, size: number, width: number): string {
  const plain = plainText(text)
  if (fonts.widthOf(plain) * size <= width) return plain
  let shown = ''
  for (const character of plain) {
    if (fonts.widthOf(`${shown}${character}…`) * size > width) break
    shown += character
  }
  return `${shown.trimEnd()}…`
}

/** A text as at most `most` lines of a width, broken between words where there are any; the last one ends in an ellipsis where text is left. */
export function wrapped(fonts: Fonts, text: string, size: number, width: number, most: number): readonly string[] {
  const lines: string[] = []
  let rest = plainText(text).trim()
  while (rest !== '' && lines.length < most - 1 && fonts.widthOf(rest) * size > width) {
    let end = 0
    let used = 0
    let word = 0
    for (const character of rest) {
      used += fonts.widthOf(character) * size
      if (used > width && end > 0) break
      end += character.length
      if (character === ' ' || character === '-') word = end
    }
    const cut = word > 0 ? word : end
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return rest === '' ? lines : [...lines, fitting(fonts, rest, size, width)]
}

/** An empty page; `height` turns its coordinates, which a PDF counts from below. */
export function newCanvas(fonts: Fonts, height: number = PAGE.height): Canvas {
  const operators: string[] = []
  return {
    operators,
    box: (x, y, width, tall, color) => {
      operators.push(`${rgb(color)} rg ${number(x)} ${number(height - y - tall)} ${number(width)} ${number(tall)} re f`)
    },
    line: (points, color, width) => {
      const path = points.map(([x, y], at) => `${number(x)} ${number(height - y)} ${at === 0 ? 'm' : 'l'}`)
      operators.push(`${rgb(color)} RG ${number(width)} w 1 j ${path.join(' ')} S`)
    },
    text: (x, y, text, { size, color, bold = false, align = 'left' }) => {
      const plain = plainText(text)
      const width = align === 'left' ? 0 : fonts.widthOf(plain) * size
      const from = align === 'left' ? x : align === 'right' ? x - width : x - width / 2
      const runs = fonts.runsOf(plain).map(({ font, code }) => `${fontName(font)} ${number(size)} Tf <${code}> Tj`)
      // Only one weight is embedded; a bold letter is one with an outline.
      const weight = bold ? `2 Tr ${number(size * 0.035)} w ${rgb(color)} RG` : '0 Tr'
      operators.push(`BT ${rgb(color)} rg ${weight} ${number(from)} ${number(height - y)} Td ${runs.join(' ')} ET`)
    },
  }
}
