/** What a plugin adds to the console, as the page of the plugin says it. */
import type { Access } from './field.ts'

/** A screen of its own, at `/console/<path>`. */
export interface AddedPage {
  readonly path: string
  readonly label: string
  readonly icon: string | undefined
  /** Who has it; `explain`: those with the permission that app.yaml names under `explain`. */
  readonly access: Access | 'explain'
}

export interface Addition {
  readonly plugin: string
  /** Changes with the script and the style. */
  readonly version: string
  /** A module for browsers, which has the four kinds by their names as its default export. */
  readonly script: string
  readonly style: string | undefined
  readonly pages: readonly AddedPage[]
  /** Editors by the word of `widget`: the types of the fields that they are for, and whether they draw values too. */
  readonly editors: ReadonlyMap<string, { readonly types: readonly string[]; readonly hasCell: boolean }>
  /** Names in `layout`. */
  readonly blocks: readonly string[]
  /** Words of `as`. */
  readonly views: readonly string[]
}

/** What all plugins add, by the plugin. */
export type Additions = ReadonlyMap<string, Addition>
