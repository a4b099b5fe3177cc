/** The colours of a PDF report. */
export const INK = '#1b2735'
export const GREY = '#667085'
export const HEAD = '#1f3a5f'
export const WHITE = '#ffffff'
export const CARD = '#f3f5f9'
export const GRID = '#d4dae3'
/** The lines between the rows of a table. */
export const ZEBRA = '#f7f8fb'
export const SERIES: readonly string[] = ['#2563eb', '#e08a00', '#16a34a']
