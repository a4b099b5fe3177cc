/** Embeds that the process keeps as JSON fragments: what a statement leaves out, and its serializer takes from here. */
import type { BelongsTo, EmbedEntry } from '../catalog/catalog.ts'

/** One kept embed of one resource. */
export interface KeptEmbed {
  /** The fragment of an id; throws KeptEmbedMiss when none is kept. */
  readonly fragment: (id: string) => string
  /** Resolves when fragments are there; undefined when they are there already. */
  ready(): Promise<void> | undefined
}

/** Every kept embed of one catalog. */
export interface KeptEmbeds {
  /** The kept embed of a relation, or undefined where it must be joined. */
  of(relation: BelongsTo, entries: readonly EmbedEntry[]): KeptEmbed | undefined
}
