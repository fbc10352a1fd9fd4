# Completion of the stenness command for bash: source it, or put it into /usr/share/bash-completion/completions/stenness.

_stenness_res()
{
    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[2]}

    if (( COMP_CWORD == 2 )); then
        mapfile -t COMPREPLY < <(compgen -W 'list show extract build check preview pack unpack why reload cache natives --help' -- "$cur")
        return
    fi
    if [[ $cur == -* ]]; then
        local options=
        case $command in
        show) options=--json ;;
        extract) options=--force ;;
        build) options=--strict ;;
        pack) options=--prefix ;;
        unpack) options='--prefix --all' ;;
        preview) options='--size --state --turn --seconds --root' ;;
        natives) options='--seen --prefix' ;;
        why | reload) options=--instance ;;
        cache)
            case ${COMP_WORDS[3]} in
            size) options=--cache ;;
            verify) options='--cache --identity' ;;
            purge) options='--cache --all --identity --older --bad' ;;
            memory | drop | forget) options=--instance ;;
            *) options='--cache --identity --json' ;;
            esac
            ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$cur")
        return
    fi
    if [[ ${COMP_WORDS[COMP_CWORD-1]} == --prefix ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'res/ res-preload/ brodgar-res/' -- "$cur")
        compopt -o nospace
        return
    fi
    if [[ $command == cache && ${COMP_WORDS[COMP_CWORD-1]} == --cache ]]; then
        mapfile -t COMPREPLY < <(compgen -W shared -- "$cur"; compgen -d -- "$cur")
        return
    fi
    if [[ $command == cache ]]; then
        (( COMP_CWORD == 3 )) && mapfile -t COMPREPLY < <(compgen -W 'list size verify purge memory drop forget' -- "$cur")
        return
    fi
    compopt -o filenames
    case $command in
    list | check | extract | preview) mapfile -t COMPREPLY < <(compgen -f -X '!*.res' -- "$cur"; compgen -d -- "$cur") ;;
    show)
        if (( COMP_CWORD == 3 )); then
            mapfile -t COMPREPLY < <(compgen -f -X '!*.res' -- "$cur"; compgen -d -- "$cur")
        else
            mapfile -t COMPREPLY < <(compgen -W 'vbuf2 mesh manim skel skan boneoff mat2 tex light rlink slink tile
                tileset2 flavobj overlay obst neg props image anim audio2 clamb midi code codeentry tooltip pagina
                action font foodev' -- "$cur")
        fi
        ;;
    build | pack) mapfile -t COMPREPLY < <(compgen -d -- "$cur"; (( COMP_CWORD > 3 )) && compgen -f -- "$cur") ;;
    unpack)
        if (( COMP_CWORD == 3 )); then
            mapfile -t COMPREPLY < <(compgen -f -X '!*.@(jar|zip)' -- "$cur"; compgen -d -- "$cur")
        else
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        fi
        ;;
    esac
}

_stenness()
{
    local cur=${COMP_WORDS[COMP_CWORD]}

    if (( COMP_CWORD == 1 )); then
        mapfile -t COMPREPLY < <(compgen -W 'run status shot capture replay res keys map mesher --help --version' -- "$cur")
        return
    fi
    if [[ ${COMP_WORDS[1]} == res ]]; then
        _stenness_res
        return
    fi
    if [[ ${COMP_WORDS[1]} == map && $COMP_CWORD == 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'export import --server --map --instance --help' -- "$cur")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

complete -F _stenness stenness
