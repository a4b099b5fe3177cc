/** The colours of a PDF report. */
import type { Color } from './canvas.ts'

const hex = (text: string): Color => {
  const part = (at: number): number => Number.parseInt(text.slice(at, at + 2), 16) / 255
  return [part(0), part(2), part(4)]
}

export const INK = hex('1b2735')
export const GREY = hex('667085')
export const HEAD = hex('1f3a5f')
export const WHITE = hex('ffffff')
export const CARD = hex('f3f5f9')
export const GRID = hex('d4dae3')
/** What parts the rows of a table. */
export const ZEBRA = hex('f7f8fb')
export const SERIES: readonly Color[] = ['2563eb', 'e08a00', '16a34a'].map(hex)
