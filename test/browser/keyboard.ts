/** Somebody without a pointer: real keys alone, and after each of them the focus is on the page and can be seen. */
import type { Locator, Page } from 'playwright-core'
import { until } from '../support/wait.ts'

/**
 * Runs in the page: what is wrong with the focus, or an empty text. It shows by an outline or a shadow of the element, of
 * what is drawn for it, or of the heading of a screen or box that has it as a whole.
 */
const FOCUS = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return 'the focus is on the body'
  const isWhole = at.matches('main, [role=dialog], [role=alertdialog]')
  const drawn = [at, at.parentElement, at.nextElementSibling, isWhole ? at.querySelector('h1, [slot=title]') : null]
  drawn.push(...(at.getAttribute('aria-activedescendant') ? [document.getElementById(at.getAttribute('aria-activedescendant'))] : []))
  const seen = drawn.filter((one) => {
    if (one === null) return false
    const style = getComputedStyle(one)
    const isMarked = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow.includes('inset')
    const { bottom, height, left, right, top, width } = one.getBoundingClientRect()
    return isMarked && width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  })
  return seen.length > 0 ? '' : 'nothing shows the focus of ' + at.outerHTML.slice(0, 300)
})()`

export interface Keyboard {
  /** Presses keys one after the other, as Playwright names them. */
  press(...keys: readonly string[]): Promise<void>
  type(text: string): Promise<void>
  /** Presses Tab, or Shift and Tab, until the element has the focus. */
  tabTo(element: Locator, back?: 'back'): Promise<void>
  /** Presses a key until the element has the focus of a menu or a list. */
  walkTo(key: string, element: Locator): Promise<void>
}

/** The most keys that lead from one part of a screen to another. */
const MOST = 80

export function keyboardOf(page: Page): Keyboard {
  const check = async (after: string): Promise<void> => {
    let wrong = ''
    const seen = async (): Promise<boolean> => {
      wrong = await page.evaluate<string>(FOCUS)
      return wrong === ''
    }
    await until(seen, 5000).catch(() => {
      throw new Error(`after ${after}: ${wrong}`)
    })
  }
  const press: Keyboard['press'] = async (...keys) => {
    for (const key of keys) {
      await page.keyboard.press(key)
      await check(key)
    }
  }
  const has = (element: Locator): Promise<boolean> =>
    element.first().evaluate((node) => node === node.ownerDocument.activeElement || node.hasAttribute('data-focused'))
  const walkTo: Keyboard['walkTo'] = async (key, element) => {
    await element.first().waitFor()
    for (let pressed = 0; pressed < MOST; pressed += 1) {
      if (await has(element)) return
      await press(key)
    }
    throw new Error(`${MOST} times ${key} do not lead to ${String(element)}`)
  }
  return {
    press,
    walkTo,
    type: async (text) => {
      await page.keyboard.type(text)
      await check(`typing ${text}`)
    },
    tabTo: (element, back) => walkTo(back === undefined ? 'Tab' : 'Shift+Tab', element),
  }
}
