# SPDX-License-Identifier: GPL-2.0-or-later
# sgang.fish - completion of sgang's command line in fish
#
# Verbs and options are those that sgang --help lists.

function __sgang_verb
    for word in (commandline -opc)[2..]
        if not string match -q -- '-*' $word
            echo $word
            return 0
        end
    end
    return 1
end

function __sgang_verbs
    sgang --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(\S.*)$' '$1\t$2'
end

function __sgang_gangs
    sgang list --noheader --format=%j 2>/dev/null |
        string replace -r -- "^$USER/" ''
end

function __sgang_options
    if string match -q -- '--gang=*' (commandline -ct)
        __sgang_gangs | string replace -r '^' -- '--gang='
        return
    end
    sgang (__sgang_verb) --help 2>/dev/null |
        string replace -rf '^  (--[a-z-]+=?)\S* +(\S.*)$' '$1\t$2'
end

function __sgang_operands
    switch (__sgang_verb)
        case submit
            __fish_complete_path (commandline -ct)
        case topology
            printf '%s\n' show collect
        case run
            if not string match -q -- '-*' (commandline -ct)
                complete -C (commandline -ct)
            end
        case ring place simulate web
        case '*'
            __sgang_gangs
    end
end

complete -c sgang -f
complete -c sgang -n 'not __sgang_verb' -a '(__sgang_verbs)'
complete -c sgang -n '__sgang_verb' -a '(__sgang_operands)'
complete -c sgang -n 'string match -q -- "-*" (commandline -ct)' -a '(__sgang_options)'
