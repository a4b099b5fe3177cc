/** ⇄ The files of fonts that an application brings. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Font, FontCollection } from 'fontkit'
import type { Catalog, Diagnostic, JsonObject } from '../../../engine/index.ts'

const require = createRequire(import.meta.url)

/** The paths of the option `fonts`. */
export function fontFiles({ fonts }: JsonObject): readonly string[] {
  return Array.isArray(fonts) ? fonts.map(String) : []
}

/** A font by the bytes of its file; throws an error that says why it is none. */
export function fontOf(bytes: Buffer): Font {
  // Loading it takes time that a start without fonts of its own need not spend.
  const { create }: { readonly create: (bytes: Buffer) => Font | FontCollection } = require('fontkit')
  const font = create(bytes)
  if (!('hasGlyphForCodePoint' in font)) throw new Error('it holds several fonts; a PDF takes a file with one')
  return font
}

/** A diagnostic for each file that is not there or is no font. */
export function unreadableFonts(_catalog: Catalog, options: JsonObject): readonly Diagnostic[] {
  return fontFiles(options).flatMap((file) => {
    try {
      fontOf(readFileSync(file))
      return []
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `The font ${file} of the plugin reports cannot be read: ${reason}`
      return [
        {
          code: 'reports/unreadable_font',
          message,
          hint: 'name a file .ttf, .otf or .woff below the folder of app.yaml',
        },
      ]
    }
  })
}
