/** What the YAML says of screens, as the catalog tells it: views, layout and buttons. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type Condition = { readonly [path: string]: Json }

export interface Tile {
  readonly number?: string
  readonly bars?: string
  readonly line?: string
  readonly table?: string
  readonly by?: string | readonly string[]
  readonly where?: Condition
  readonly label?: string
  readonly as?: 'number' | 'duration' | 'percent'
  readonly from?: string
  readonly at?: string
}

export interface View {
  readonly label: string
  readonly icon?: string
  /** A list if absent; other words than board, calendar and figures are those of plugins. */
  readonly as?: string
  readonly where?: Condition
  readonly columns?: readonly string[]
  readonly sort?: readonly string[]
  readonly count?: boolean
  readonly by?: string
  readonly card?: readonly string[]
  readonly at?: string
  readonly from?: string
  readonly until?: string
  readonly title?: string
  readonly color?: string
  readonly rows?: string
  readonly over?: string
  readonly tiles?: readonly Tile[]
}

export interface PartBlock {
  readonly label?: string
  readonly fields?: readonly string[]
  readonly thread?: readonly string[]
  readonly write?: Readonly<Record<string, readonly string[]>>
  /** The resource whose texts are put in by `/`. */
  readonly texts?: string
  readonly list?: string
  readonly when?: Condition
}
export type Block = string | readonly string[] | PartBlock

export interface Layout {
  readonly form?: readonly (string | readonly string[])[]
  readonly record?: { readonly [column in 'main' | 'side' | 'below']?: readonly Block[] }
}

export interface ButtonPart {
  readonly label: string
  readonly icon?: string
  readonly key?: string
  readonly when?: Condition
  readonly set?: { readonly [name: string]: Json }
  readonly create?: Readonly<Record<string, readonly string[]>>
  readonly calls?: string
  /** By the input of the route, what it is chosen from. */
  readonly choose?: Readonly<Record<string, string>>
  readonly many?: boolean
}

export interface ConsolePart {
  readonly home?: string
  readonly menu?: readonly { readonly label: string; readonly screens: readonly string[] }[]
  readonly accent?: string
}
