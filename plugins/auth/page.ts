/** The pages of accounts: to choose a password, to ask for a link, to confirm an address. */
import type { Route } from '../../engine/index.ts'
import { type FormContent, formPage } from '../pages/form-page.ts'
import { escaped, rootOf } from '../pages/page.ts'
import { authOptions } from './options.ts'

/** What differs between the pages; `help` is markup of a link, `root` the path of the application. */
export interface PageContent extends Omit<FormContent, 'links'> {
  readonly help?: (root: string) => string
}

/** The handler of a page. */
export function pageOf({ help, ...content }: PageContent): Route['handle'] {
  return formPage({
    ...content,
    links: (context) => {
      const root = rootOf(context)
      const { signInPage } = authOptions(context.options)
      const signIn = signInPage === undefined ? '' : `<a href="${escaped(root + signInPage)}">Sign in</a>`
      return `${help?.(escaped(root)) ?? ''}${signIn}`
    },
  })
}
