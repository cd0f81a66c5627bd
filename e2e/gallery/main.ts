/** Shows the gallery after the texts of its language are loaded. */
import { mount } from 'svelte';
import { Languages } from '#lib/app/language.svelte.ts';
import './gallery.css';
import Gallery from './gallery.svelte';

mount(Gallery, { target: document.body, props: { languages: await Languages.begin() } });
