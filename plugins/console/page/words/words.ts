/** The words of the page in the language of its reader. Words of the application come from its catalog. */
import { de } from './de.ts'
import { en, type Words } from './en.ts'

const LANGUAGES: Readonly<Record<string, Words>> = { en, de }

/** The first language of the reader that the page knows; English when it knows none. */
function chosen(): Words {
  for (const language of navigator.languages) {
    const known = LANGUAGES[language.slice(0, 2).toLowerCase()]
    if (known !== undefined) return known
  }
  return en
}

let inUse: Words | undefined

/** The words in use. */
export function words(): Words {
  inUse ??= chosen()
  return inUse
}
